import { exerciseClusterRows } from '../../../../test/conformance/cluster-rows.ts'
import { manualClock } from '../../../kernel/index.ts'
import { FakePostgresQueue } from '../../../store/fake/index.ts'
import { fakeClusters } from './rows.ts'

const LEASE_MS = 20_000

exerciseClusterRows('fakeClusters', async () => {
  const clock = manualClock()
  const queue = new FakePostgresQueue({ clock, leaseMs: LEASE_MS })
  const clusters = fakeClusters({ queue, clock })
  let ordered = 0
  return {
    rows: clusters.rows,
    queue,
    async order() {
      const id = `00000000-0000-4000-8000-00000000000${++ordered}`
      await clusters.order({ id })
      return id
    },
    change: (id) => clusters.change(id, { kubernetesVersion: '1.35.0' }),
    remove: (id) => clusters.remove(id),
    lapse: () => clock.advance(LEASE_MS + 1),
    events: async (id) => clusters.get(id)?.events ?? [],
    [Symbol.asyncDispose]: async () => {},
  }
})
