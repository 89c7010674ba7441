import type { Clock, ReportGivenUp } from '../../kernel/index.ts'
import { CLUSTER } from './queue.ts'
import { record } from './record.ts'
import type { ClusterRows } from './rows.ts'

/** Writes into its row why a cluster is no longer run. Nothing is observed: that may be what ended the process. */
export const reportGivenUp =
  (rows: Pick<ClusterRows, 'load' | 'write'>, clock: Clock): ReportGivenUp =>
  async ({ key: { kind, id }, fence }, failure) => {
    const loaded = kind === CLUSTER ? await rows.load(id) : undefined
    if (loaded === undefined || loaded.sync.status === 'deleted') return
    const recorded = record(loaded.sync, { is: 'failed', failure, attempts: loaded.sync.attempts }, clock.now())
    if (recorded !== undefined) await rows.write(id, fence, recorded.patch, recorded.events)
  }
