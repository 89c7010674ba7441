import { expect, test } from 'vitest'
import { writeChart } from '../helm/world.ts'
import { neverReady, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

/** Says what a tenant set. */
const schema = {
  type: 'object',
  properties: { user: { type: 'object', properties: { text: { type: 'string' } } } },
}
const said = page('{{ .Values.user.text }}')

test('a person goes back to an earlier generation, and the history tells what became of each', async () => {
  await using world = await WorkerWorld.make()
  const publish = async (version: string, templates: Record<string, string>, healthTimeoutSec = 60) =>
    world.publish(await writeChart(world.dir, templates, { version }), {
      chartVersion: version,
      valuesSchema: schema,
      healthTimeoutSec,
    })
  const good = await publish('1.0.0', { 'page.yaml': said })
  const bad = await publish('1.1.0', { 'page.yaml': said, 'web.yaml': neverReady }, 10)
  await world.worker({ backoff: { baseMs: 600_000, capMs: 600_000, maxAttempts: 8 } })
  const made = await world.orderWithoutVolume({ text: 'one' }, 'shop.example.com', { templateId: good })
  const { id, userId, namespaceName: namespace } = made
  const tenant = { userId, admin: false }
  await world.until(id, 'ready')
  await world.apps.updateDeployment(tenant, { id }, { userValues: { text: 'two' } })
  await world.until(id, 'ready')

  expect((await world.apps.rollbackDeployment(tenant, { id }, { generation: 1 })).generation).toBe(3)
  await world.until(id, 'ready')
  expect(await world.textIn(namespace)).toBe('one')
  expect((await world.revisions(namespace)).at(-1)?.version).toBe(3)

  await world.apps.updateDeployment(ADMIN, { id }, { templateId: bad })
  await expect.poll(async () => (await world.row(id)).lastError?.code, { timeout: 80_000 }).toBe('NeverHealthy')
  await expect.poll(async () => (await world.row(id)).rollout?.rollbacks, { timeout: 30_000 }).toBe(1)
  const history = async () => (await world.apps.listRevisions(tenant, { id }, { limit: 9 })).items
  expect((await history())[0]).toMatchObject({ generation: 4, outcome: 'rolled_back', failureCode: 'NeverHealthy' })

  await world.apps.rollbackDeployment(ADMIN, { id }, { generation: 2 })
  const back = await world.until(id, 'ready')
  expect([back.desiredTemplateId, await world.textIn(namespace)]).toEqual([good, 'two'])
  const told = (await history()).map(({ generation, outcome, helmRevision, rolledBackTo }) => ({
    generation,
    outcome,
    helmRevision,
    rolledBackTo,
  }))
  // Revision 4 of the release is the upgrade that failed, 5 the platform's own way back.
  expect(told).toEqual([
    { generation: 5, outcome: 'ready', helmRevision: 6, rolledBackTo: 2 },
    { generation: 4, outcome: 'rolled_back', helmRevision: 4, rolledBackTo: null },
    { generation: 3, outcome: 'ready', helmRevision: 3, rolledBackTo: 1 },
    { generation: 2, outcome: 'ready', helmRevision: 2, rolledBackTo: null },
    { generation: 1, outcome: 'ready', helmRevision: 1, rolledBackTo: null },
  ])
})
