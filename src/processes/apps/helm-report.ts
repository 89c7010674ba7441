import type { StatusBoard } from '../../api/index.ts'
import { shortcomings, type HelmVersion } from '../../domains/apps/helm/index.ts'
import { aborted, messageOf, service, type Service } from '../../kernel/index.ts'

export interface HelmReportOptions {
  readonly version: () => Promise<HelmVersion>
  readonly onError: (error: unknown, what: string) => void
  /** Absent in a worker without the API. */
  readonly board?: Pick<StatusBoard, 'component'> | undefined
}

/**
 * Reports the version of Helm and its limits. Nothing waits for it: without Helm, the runs that need it fail.
 */
export const helmReport = ({ version, onError, board }: HelmReportOptions): Service =>
  service('helm report', async (signal, ready) => {
    ready()
    try {
      const found = await version()
      const missing = shortcomings(found)
      if (missing.length > 0) onError(new Error(missing.join('; ')), 'Helm 3 has limits')
      // Any supported version is `ok`, because `status --wait` waits for every component.
      const message = missing.length === 0 ? 'supported' : `with limits: ${missing.join('; ')}`
      board?.component('helm', { health: 'ok', message, version: found.text })
    } catch (error) {
      onError(error, 'Helm cannot be used')
      board?.component('helm', { health: 'down', message: messageOf(error), version: null })
    }
    await aborted(signal)
  })
