import { aborted, service, type Clock, type Service } from '../../../../kernel/index.ts'

export interface GardenKeep {
  /** What was saved last. */
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
}

const SAVE_AFTER_MS = 1_000

/** Writes the garden a while after its last change, and once more at the end. */
export function savingService(
  keep: GardenKeep,
  clock: Clock,
  snapshot: () => string,
  onError: (error: unknown) => void,
): { readonly service: Service; readonly wake: () => void } {
  let cancel: (() => void) | undefined
  let isChanged = false
  let last = Promise.resolve()
  const save = (): Promise<void> => {
    cancel = undefined
    isChanged = false
    last = last.then(() => keep.save(snapshot())).catch(onError)
    return last
  }
  return {
    wake() {
      isChanged = true
      cancel ??= clock.after(SAVE_AFTER_MS, () => void save())
    },
    service: service('state of the mock garden', async (signal, ready) => {
      ready()
      await aborted(signal)
      cancel?.()
      await (isChanged ? save() : last)
    }),
  }
}
