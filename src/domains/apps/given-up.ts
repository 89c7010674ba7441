import type { Clock, ReportGivenUp } from '../../kernel/index.ts'
import { record } from './record.ts'
import type { DeploymentRows } from './rows.ts'

/** Writes into its row why a deployment is no longer run. Nothing is observed: that may be what ended the process. */
export const reportGivenUp =
  (rows: Pick<DeploymentRows, 'load' | 'write'>, clock: Clock): ReportGivenUp =>
  async ({ key: { id }, fence }, failure) => {
    const loaded = await rows.load(id)
    if (loaded === undefined || loaded.deployment.status === 'deleted') return
    const patch = record(loaded.deployment, { is: 'failed', failure, retryAt: null }, clock.now())
    if (patch !== undefined) await rows.write(id, fence, patch)
  }
