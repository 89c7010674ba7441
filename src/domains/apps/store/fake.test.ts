import { exerciseDeploymentRows } from '../../../../test/conformance/apps-rows.ts'
import { manualClock } from '../../../kernel/index.ts'
import { FakePostgresQueue, Table } from '../../../store/fake/index.ts'
import { deploymentKey } from '../queue.ts'
import type { Deployment, Template } from '../types.ts'
import { fakeDeploymentRows } from './fake.ts'
import { DEFAULT_LAYOUT } from '../values/layout.ts'

const TEMPLATE: Template = {
  id: 't1',
  productId: 'p1',
  packageType: 'helm-chart',
  chartRef: 'oci://charts.example.com/page',
  chartVersion: '1.0.0',
  chartDigest: 'sha256:0',
  versionLabel: null,
  defaultValues: {},
  overrides: {},
  valuesSchema: {},
  layout: DEFAULT_LAYOUT,
  capabilities: {},
  driftIgnore: [],
  signedBy: null,
  healthTimeoutSec: 60,
  inspection: null,
  createdAt: 0,
  deletedAt: null,
}

const rowOf = (id: string, clusterId: string | null = null): Deployment => ({
  id,
  deploymentUid: `app-${id}`,
  namespaceName: `app-${id}`,
  releaseName: `app-${id}`,
  userId: 'u1',
  domainname: `${id}.example.com`,
  userValues: {},
  sealedValues: {},
  desiredTemplateId: 't1',
  appliedTemplateId: null,
  status: 'pending',
  generation: 1,
  observedGeneration: 0,
  statusGeneration: 0,
  retries: 0,
  rollout: null,
  unrepairable: [],
  clusterId,
  suspendedAt: null,
  lastError: null,
  lastReconcileAt: null,
  nextReconcileAt: null,
  createdAt: 0,
  deletedAt: null,
})

exerciseDeploymentRows('the fake', async () => {
  const clock = manualClock()
  const queue = new FakePostgresQueue({ clock, leaseMs: 10_000 })
  const deployments = new Table<Deployment>()
  deployments.onChange(({ id, before, after }) => {
    if (after?.generation !== before?.generation) void queue.wake(deploymentKey(id), { reason: 'changed' })
  })
  let orders = 0
  let clusters = 0
  return {
    queue,
    rows: fakeDeploymentRows({
      deployments,
      queue,
      template: () => TEMPLATE,
      owner: (id) => ({ id, email: 'ada@example.com', isAdmin: false, createdAt: 0, deletedAt: null }),
    }),
    async order(clusterId) {
      const id = String(++orders)
      await deployments.inTransaction(async (rows) => rows.put(id, rowOf(id, clusterId)))
      return id
    },
    cluster: async () => `c${++clusters}`,
    async remove(id) {
      await deployments.inTransaction(async (rows) => {
        const row = rows.get(id) ?? rowOf(id)
        rows.put(id, { ...row, deletedAt: 1, status: 'deleting', generation: row.generation + 1 })
      })
    },
    lapse: () => clock.advance(10_001),
    [Symbol.asyncDispose]: async () => queue.close(),
  }
})
