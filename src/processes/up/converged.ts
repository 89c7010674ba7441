import type { StatusBoard, Events } from '../../api/index.ts'
import type { StatusView } from '../../api/contract/index.ts'

/** By the name of a domain: how many of its objects stay in an error on purpose. */
export type Troubled = ReadonlyMap<string, number>

/** Whether every component works and every object of every domain is as desired, but for those that are not meant to be. */
export const hasConverged = ({ components, domains, demo = [] }: StatusView, troubled: Troubled): boolean =>
  components.every(({ health }) => health === 'ok' || health === 'disabled') &&
  domains.every(({ enabled, name, health, not_ready }) => {
    const most = troubled.get(name) ?? 0
    return !enabled || (not_ready <= most && (health === 'ok' || (health === 'degraded' && not_ready > 0)))
  }) &&
  demo.every(({ ready }) => ready === 'True')

/** Resolves with true when the status board shows that everything has converged, with false if `signal` aborts first. */
export const untilConverged = (
  board: StatusBoard,
  events: Events,
  signal: AbortSignal,
  troubled: Troubled = new Map(),
): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (converged: boolean): void => {
      stopListening()
      resolve(converged)
    }
    const check = async (): Promise<void> => {
      if (hasConverged(await board.view(), troubled)) end(true)
    }
    const stopListening = events.onPublish(() => void check())
    if (signal.aborted) end(false)
    signal.addEventListener('abort', () => end(false), { once: true })
    void check()
  })
