import type { StatusBoard } from '../../api/index.ts'
import { phaseOf, type RuntimesView } from '../../domains/runtimes/usecases/index.ts'
import { domainReport, type DomainReport } from '../shared/domain-report.ts'

type Look = Pick<RuntimesView, 'list' | 'listed' | 'onChange'>

/** Until the runtimes have been listed, counting fails and the domain is shown as preparing. */
export const runtimesReport = (look: Look, board: StatusBoard): DomainReport =>
  domainReport({
    name: 'runtimes',
    count() {
      const phases = look.list().map(phaseOf)
      return {
        objects: phases.length,
        notReady: phases.filter((phase) => phase !== 'available').length,
        failing: phases.filter((phase) => phase === 'degraded').length,
      }
    },
    changes(changed) {
      void look.listed().then(changed)
      return look.onChange(changed)
    },
    board,
  })
