import type { StatusBoard } from '../../api/index.ts'
import { every, type Service } from '../../kernel/index.ts'
import { asUser, CHANGES, type Listener, type Pool } from '../../store/index.ts'

/** Reports to the status board how many deployments exist and how many are not as desired. */
export interface AppsReport {
  readonly service: Service
  /** Shows what the domain waits for; undefined when it converges. */
  waitFor(what: string | undefined): void
}

const EVERY_MS = 10_000
/** Changes within this time cause one report. */
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
  const count = async (): Promise<void> => {
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
    // An unreachable database is reported by its own check.
    service: every('apps report', EVERY_MS, count, {
      readyAfterFirst: true,
      togetherMs: TOGETHER_MS,
      wakeOn(change) {
        wake = change
        return changes.subscribe(CHANGES, change)
      },
    }),
  }
}

function inWords({ objects, not_ready, failing }: Counts): string {
  if (objects === 0) return 'nothing is ordered yet'
  if (not_ready === 0) return `${objects} of ${objects} are ready`
  return `${objects - not_ready} of ${objects} are ready${failing > 0 ? `, ${failing} cannot go on` : ''}`
}
