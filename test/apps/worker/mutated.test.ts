import { expect, test } from 'vitest'
import { createNamespace, DEPLOYMENT_LABEL, installFence } from '../../../src/domains/apps/fence.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import { Deployment, Ingress, PersistentVolumeClaim, Secret, Service, type Resource } from '../../../src/kube/index.ts'
import { seen } from '../../support/kube.ts'
import { MIRROR, mutatingWebhook, SIDECAR } from '../../support/mutating-webhook.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const imagesOf = ({ spec }: Deployment): (string | undefined)[] =>
  spec?.template?.spec?.containers?.map(({ image }) => image) ?? []

/**
 * Who wrote what, and when, of everything that the release has made. Kubernetes' own controllers write statuses and
 * revisions whenever they get to it, so their entries are left out; any write of ours changes one of the others.
 */
async function writesIn({ client }: WorkerWorld, namespace: string): Promise<unknown[]> {
  const kinds: readonly Resource[] = [Deployment, Service, Ingress, PersistentVolumeClaim]
  const objects = await Promise.all(kinds.map((kind) => client.list(kind, { namespace })))
  const records = await client.list(Secret, { namespace, labels: 'owner=helm' })
  return [...objects.flat(), ...records].map(({ metadata: { name, generation, managedFields = [] } }) => ({
    name,
    generation,
    writes: managedFields.filter(({ manager }) => manager !== 'kube-controller-manager'),
  }))
}

/** The namespace is made before its worker starts, so that the first object in it is mutated already. */
async function untilMutated({ client }: WorkerWorld, namespace: string): Promise<void> {
  const labels = { app: 'probe' }
  const probe = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name: 'probe' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'probe', image: 'probe' }] } },
    },
  } as const
  const injected = async () => imagesOf(await client.apply(Deployment, probe, { dryRun: true }))
  await expect.poll(injected, { timeout: 20_000 }).toEqual([`${MIRROR}probe`, SIDECAR.image])
}

test('what a webhook makes of our objects is left alone, and what people make of them is not', async () => {
  await using world = await WorkerWorld.make()
  const { id, userId, namespaceName: namespace } = await world.order({ message: 'hello' })
  await installFence(world.client)
  await createNamespace({ client: world.client, clock: systemClock }, { namespace, deploymentId: id, userId, fence: 0 })
  await using webhook = await mutatingWebhook(world.client, { name: DEPLOYMENT_LABEL, value: id })
  await untilMutated(world, namespace)
  const { told } = await world.worker()
  const steps: string[] = []
  const verified: boolean[] = []
  told.on('apps:step', ({ step }) => steps.push(step))
  told.on('apps:looked', ({ isRemembered }) => verified.push(isRemembered))
  await world.until(id, 'ready')
  const at = { namespace, name: namespace }
  const mutated = await seen(world.client, Deployment, at, (one) => imagesOf(one).includes(SIDECAR.image))
  expect(imagesOf(mutated)).toContain(`${MIRROR}nginx:1.29`)

  // Somebody else's annotation makes the worker look at everything again, and find nothing to do.
  await world.lookAgain(id)
  steps.length = 0
  verified.length = 0
  const { asked } = webhook
  const annotations = { 'mesh.example.com/revision': 'a' }
  await world.client.patch(Deployment, at, { merge: { metadata: { annotations } } }, { fieldManager: 'mesh' })
  const before = await writesIn(world, namespace)
  await expect.poll(() => verified.includes(false)).toBe(true)
  // Once for the annotation, and once for the dry run that showed that there is nothing to repair.
  await expect.poll(() => webhook.asked).toBeGreaterThanOrEqual(asked + 2)
  await world.lookAgain(id)
  expect(steps).toEqual([])
  expect(await writesIn(world, namespace)).toEqual(before)

  // One edit of a field of ours and of one that is not: the first is taken back, the second stays.
  const edit = { metadata: { labels: { team: 'blue' } }, spec: { replicas: 3 } }
  await world.client.patch(Deployment, at, { merge: edit }, { fieldManager: 'kubectl-edit' })
  const repaired = await seen(world.client, Deployment, at, ({ spec }) => spec?.replicas === 1)
  expect(repaired.metadata.labels?.['team']).toBe('blue')
  expect(repaired.metadata.annotations).toMatchObject({ ...annotations, 'mesh.example.com/injected': 'true' })
  expect(imagesOf(repaired)).toEqual(imagesOf(mutated))
  await expect.poll(() => steps, { timeout: 20_000 }).toEqual(['repairObjects'])

  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { message: 'moin' } })
  await world.until(id, 'ready')
  const upgraded = await world.client.get(Deployment, at)
  expect(JSON.stringify(upgraded)).toContain('moin')
  expect(upgraded === undefined ? [] : imagesOf(upgraded)).toEqual(imagesOf(mutated))
})
