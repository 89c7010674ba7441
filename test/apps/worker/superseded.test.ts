import { expect, test } from 'vitest'
import type { Decision } from '../../../src/domains/apps/decide.ts'
import type { Step } from '../../../src/domains/apps/steps/types.ts'
import { decisionLog } from '../../../src/kernel/index.ts'
import { ConfigMap, Job } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { claim, hookOnClaim, MODES, onlyIn, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

/** In the mode `hang` an upgrade of it lasts until a volume is laid, or for an hour. */
async function orderReady(world: WorkerWorld) {
  const hook = onlyIn('hang', hookOnClaim('post-upgrade'))
  const chart = {
    'page.yaml': page('{{ .Values.user.mode }}'),
    'extra.yaml': onlyIn('hang', page('extra', 'extra')),
    'claim.yaml': claim,
    'hook.yaml': hook,
  }
  const templateId = await world.publish(await writeChart(world.dir, chart), { ...MODES, healthTimeoutSec: 3_600 })
  const made = await world.orderWithoutVolume({ mode: 'calm' }, 'shop.example.com', { templateId })
  await world.until(made.id, 'ready')
  return made
}

const isHanging = (world: WorkerWorld, namespace: string) => async (): Promise<number> =>
  (await world.client.list(Job, { namespace })).length

test('a correction does not wait for the rollout that hangs', async () => {
  await using world = await WorkerWorld.make()
  const decisions = decisionLog()
  const steps: Step[] = []
  decisions.onAdd(({ decision }) => steps.push((decision as Decision).step))
  await world.worker({ decisions })
  const { id, namespaceName: namespace } = await orderReady(world)
  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { mode: 'hang' } })
  await expect.poll(isHanging(world, namespace), { timeout: 30_000 }).toBe(1)
  const extra = await world.client.get(ConfigMap, { namespace, name: 'extra' })
  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { mode: 'fine' } })
  const { rollout } = await world.until(id, 'ready', 45_000)
  expect(await world.textIn(namespace)).toBe('fine')
  // What the one in between had brought is gone with it, as was decided.
  const removed = steps.flatMap((step) => (step.do === 'upgrade' ? (step.remove ?? []) : []))
  expect(removed).toMatchObject([{ object: 'ConfigMap/extra', uid: extra?.metadata.uid }])
  expect(await world.textIn(namespace, 'extra')).toBeUndefined()
  expect(rollout?.failures).toBe(0)
})

test('an upgrade that a stopping worker cuts off is finished by the next, not undone', async () => {
  await using world = await WorkerWorld.make()
  const first = await world.worker()
  const order = await orderReady(world)
  const { id, namespaceName: namespace } = order
  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { mode: 'hang' } })
  await expect.poll(isHanging(world, namespace), { timeout: 30_000 }).toBe(1)
  await first.stop()
  await world.layVolume(order)
  const { told } = await world.worker()
  const steps: string[] = []
  told.on('apps:step', ({ step }) => steps.push(step))
  const { rollout } = await world.until(id, 'ready', 60_000)
  expect(await world.textIn(namespace)).toBe('hang')
  expect([rollout?.failures, steps.filter((step) => step !== 'unlockRelease')]).toEqual([0, ['upgrade']])
  const descriptions = (await world.revisions(namespace)).map(({ info }) => info.description)
  expect(descriptions.filter((description) => /rollback/i.test(description))).toEqual([])
})
