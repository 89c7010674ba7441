import type { StatusBoard } from '../../api/index.ts'
import { phaseOf, type RuntimesView } from '../../domains/runtimes/usecases/index.ts'
import { every, messageOf, type Service } from '../../kernel/index.ts'

const EVERY_MS = 10_000
/** Changes within this time cause one report. */
const TOGETHER_MS = 200

/** Reports to the status board how many runtimes exist and how many are not available. */
export const runtimesReport = (look: Pick<RuntimesView, 'list' | 'listed' | 'onChange'>, board: StatusBoard): Service =>
  every('runtimes report', EVERY_MS, () => report(look, board), {
    togetherMs: TOGETHER_MS,
    wakeOn(wake) {
      void look.listed().then(wake)
      return look.onChange(wake)
    },
  })

function report(look: Pick<RuntimesView, 'list'>, board: StatusBoard): void {
  try {
    const phases = look.list().map(phaseOf)
    const objects = phases.length
    const notReady = phases.filter((phase) => phase !== 'available').length
    const degraded = phases.filter((phase) => phase === 'degraded').length
    board.domain('runtimes', {
      enabled: true,
      health: degraded > 0 ? 'degraded' : 'ok',
      message: inWords(objects, notReady, degraded),
      objects,
      not_ready: notReady,
    })
  } catch (error) {
    board.domain('runtimes', {
      enabled: true,
      health: 'preparing',
      message: messageOf(error),
      objects: 0,
      not_ready: 0,
    })
  }
}

function inWords(objects: number, notReady: number, degraded: number): string {
  if (objects === 0) return 'there are none yet'
  return `${objects - notReady} of ${objects} are available${degraded > 0 ? `, ${degraded} degraded` : ''}`
}
