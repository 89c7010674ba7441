import type { StatusBoard } from '../../api/index.ts'
import { service, sleep, systemClock, type Service } from '../../kernel/index.ts'
import { asUser, type Listener, type Pool } from '../../store/index.ts'

/** Tells the board how many deployments there are and how many are not as desired. */
export interface AppsReport {
  readonly service: Service
  /** Why nothing converges at the moment; undefined: it does. */
  waitFor(what: string | undefined): void
}

const EVERY_MS = 10_000
/** Changes that come together are counted once. */
const TOGETHER_MS = 200

const COUNT = `
  select count(*)::int as objects,
    (count(*) filter (where status <> 'ready'))::int as not_ready,
    (count(*) filter (where status = 'error'))::int as failing
  from caelus.deployment where status <> 'deleted'`

interface Counts {
  readonly objects: number
  readonly not_ready: number
  readonly failing: number
}

export function appsReport(pool: Pool, changes: Pick<Listener, 'subscribe'>, board: StatusBoard): AppsReport {
  let waitingFor: string | undefined
  let wake = (): void => {}
  const look = async (): Promise<void> => {
    const [counts] = await asUser(pool, { admin: true }, (tx) => tx.query<Counts>(COUNT))
    if (counts === undefined) return
    const { objects, not_ready, failing } = counts
    const health = waitingFor !== undefined ? 'preparing' : failing > 0 ? 'degraded' : 'ok'
    board.domain('apps', { enabled: true, health, message: waitingFor ?? inWords(counts), objects, not_ready })
  }
  return {
    waitFor(what) {
      waitingFor = what
      wake()
    },
    service: service('apps report', async (signal, ready) => {
      const stop = changes.subscribe('caelus_change', () => wake())
      while (!signal.aborted) {
        // A database that is away is told about elsewhere.
        await look().catch(() => {})
        ready()
        const next = new AbortController()
        wake = () => next.abort()
        await sleep(systemClock, EVERY_MS, AbortSignal.any([signal, next.signal])).catch(() => {})
        await sleep(systemClock, TOGETHER_MS, signal).catch(() => {})
      }
      stop()
    }),
  }
}

function inWords({ objects, not_ready, failing }: Counts): string {
  if (objects === 0) return 'nothing is ordered yet'
  if (not_ready === 0) return `${objects} of ${objects} are ready`
  return `${objects - not_ready} of ${objects} are ready${failing > 0 ? `, ${failing} cannot go on` : ''}`
}
