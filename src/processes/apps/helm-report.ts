import type { StatusBoard } from '../../api/index.ts'
import { shortcomings, type HelmVersion } from '../../domains/apps/helm/index.ts'
import { messageOf, service, type Service } from '../../kernel/index.ts'
import { aborted } from '../shared/stop-signal.ts'

export interface HelmReportOptions {
  readonly version: () => Promise<HelmVersion>
  readonly onError: (error: unknown, what: string) => void
  /** Absent: nobody looks at one, as in a worker apart from the API. */
  readonly board?: Pick<StatusBoard, 'component'> | undefined
}

/** Tells which Helm is at work, and what it cannot do. Nothing waits for it: a Helm that is missing fails the runs that need it. */
export const helmReport = ({ version, onError, board }: HelmReportOptions): Service =>
  service('helm report', async (signal, ready) => {
    ready()
    try {
      const found = await version()
      const missing = shortcomings(found)
      if (missing.length > 0) onError(new Error(missing.join('; ')), 'Helm keeps fewer promises than Helm 4')
      // What is accepted is well: somebody may wait for everything to be.
      const message = missing.length === 0 ? 'does what we need of it' : `not as Helm 4: ${missing.join('; ')}`
      board?.component('helm', { health: 'ok', message, version: found.text })
    } catch (error) {
      onError(error, 'Helm cannot be used')
      board?.component('helm', { health: 'down', message: messageOf(error), version: null })
    }
    await aborted(signal)
  })
