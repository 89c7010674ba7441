import type { StatusBoard } from '../../api/index.ts'
import type { DomainName } from '../../api/contract/index.ts'
import { every, messageOf, unlessAborted, type Clock, type Service } from '../../kernel/index.ts'

export interface DomainCounts {
  readonly objects: number
  readonly notReady: number
  /** Those of them that do not become ready unless a person acts. */
  readonly failing: number
}

export interface DomainReportOptions {
  readonly name: DomainName
  readonly count: () => Promise<DomainCounts> | DomainCounts
  /** Counts the objects of one user, for what members see. @default members see the counts of all */
  readonly countOf?: (userId: string) => Promise<DomainCounts>
  /** Calls back when the counts may have changed; returns how to stop. */
  readonly changes: (changed: () => void) => () => void
  readonly board: Pick<StatusBoard, 'domain'>
  readonly clock?: Clock
}

/** Reports to the status board how many objects of a domain exist and how many are not ready. */
export interface DomainReport {
  readonly service: Service
  /** Shows what the domain waits for; undefined when it converges. */
  readonly waitFor: (what: string | undefined) => void
  /** Counts now, and resolves when the status board shows the result. */
  readonly refresh: () => Promise<void>
}

const EVERY_MS = 10_000
/** Changes within this time cause one report. */
const TOGETHER_MS = 200

const NONE: DomainCounts = { objects: 0, notReady: 0, failing: 0 }

export function domainReport({ name, count, countOf, changes, board, clock }: DomainReportOptions): DomainReport {
  let waitingFor: string | undefined
  let wake = (): void => {}
  let last: DomainCounts | undefined

  const post = (health: 'ok' | 'preparing' | 'degraded', message: string): void => {
    const { objects, notReady } = last ?? NONE
    board.domain(name, { enabled: true, health, message, objects, not_ready: notReady }, ofMember)
  }
  const ofMember =
    countOf &&
    (async (userId: string) => {
      const own = await countOf(userId)
      const shown = { enabled: true, objects: own.objects, not_ready: own.notReady }
      if (waitingFor !== undefined) return { ...shown, health: 'preparing' as const, message: waitingFor }
      return { ...shown, health: healthOf(own), message: countsText(own) }
    })
  const report = async (): Promise<void> => {
    try {
      last = await count()
    } catch (error) {
      return post(last === undefined ? 'preparing' : 'degraded', waitingFor ?? messageOf(error))
    }
    if (waitingFor !== undefined) return post('preparing', waitingFor)
    post(healthOf(last), countsText(last))
  }
  return {
    waitFor(what) {
      waitingFor = what
      wake()
    },
    refresh: report,
    // A stop does not wait for a database that is silent.
    service: every(`${name} report`, EVERY_MS, (signal) => unlessAborted(report, signal), {
      readyAfterFirst: true,
      togetherMs: TOGETHER_MS,
      ...(clock && { clock }),
      wakeOn(changed) {
        wake = changed
        return changes(changed)
      },
    }),
  }
}

const healthOf = ({ failing }: DomainCounts): 'ok' | 'degraded' => (failing > 0 ? 'degraded' : 'ok')

function countsText({ objects, notReady, failing }: DomainCounts): string {
  if (objects === 0) return 'no objects yet'
  return `${objects - notReady} of ${objects} ready${failing > 0 ? `, ${failing} failed` : ''}`
}
