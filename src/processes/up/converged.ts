import type { StatusBoard, Events } from '../../api/index.ts'
import type { StatusView } from '../../api/contract/index.ts'

/** Whether every component works and every object of every domain is as desired. */
export const hasConverged = ({ components, domains, demo = [] }: StatusView): boolean =>
  components.every(({ health }) => health === 'ok' || health === 'disabled') &&
  domains.every(({ enabled, health, not_ready }) => !enabled || (health === 'ok' && not_ready === 0)) &&
  demo.every(({ ready }) => ready === 'True')

/** Resolves with true when the status board shows that everything has converged, with false if `signal` aborts first. */
export const untilConverged = (board: StatusBoard, events: Events, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (converged: boolean): void => {
      stopListening()
      resolve(converged)
    }
    const check = async (): Promise<void> => {
      if (hasConverged(await board.view())) end(true)
    }
    const stopListening = events.onPublish(() => void check())
    if (signal.aborted) end(false)
    signal.addEventListener('abort', () => end(false), { once: true })
    void check()
  })
