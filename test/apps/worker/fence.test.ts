import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  claimNamespace,
  createNamespace,
  DEPLOYMENT_LABEL,
  deleteHeldNamespace,
  fenced,
  installFence,
  isStale,
  viewing,
  type Gate,
} from '../../../src/domains/apps/fence.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import {
  ConfigMap,
  Namespace,
  RoleBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type Client,
} from '../../../src/kube/index.ts'
import { freshNamespace, seen, testClient } from '../../support/kube.ts'

let client: Client & AsyncDisposable
let gate: Gate

beforeAll(async () => {
  client = await testClient('caelus')
  gate = { client, clock: systemClock }
  await installFence(client)
})
afterAll(async () => client[Symbol.asyncDispose]())

const holderOf = (fence: number, id = randomBytes(4).toString('hex')) => ({
  namespace: `fence-${id}`,
  deploymentId: id,
  userId: '7',
  fence,
})

const note = (namespace: string, text: string) =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'note' }, data: { text } }) as const

/** A policy takes a moment to reach the admission of a running server. */
async function untilEnforced(act: () => Promise<unknown>): Promise<unknown> {
  const deadline = Date.now() + 20_000
  for (;;) {
    const error = await act().then(
      () => undefined,
      (refused: unknown) => refused,
    )
    if (error !== undefined) return error
    if (Date.now() > deadline) throw new Error('the policy was never enforced')
    await new Promise((resolve) => void setTimeout(resolve, 50))
  }
}

test('a worker whose lease has passed on is refused at its first write', async () => {
  const old = holderOf(3)
  await createNamespace(gate, old)
  const paused = client.as(fenced(old.deploymentId, 3))
  await paused.apply(ConfigMap, note(old.namespace, 'first'), { fieldManager: 'helm' })

  await claimNamespace(gate, { ...old, fence: 5 })
  const refused = await untilEnforced(() =>
    paused.apply(ConfigMap, note(old.namespace, 'late'), { fieldManager: 'helm' }),
  )
  expect(isStale(refused)).toBe(true)
  await expect(paused.delete(ConfigMap, { namespace: old.namespace, name: 'note' })).rejects.toThrow('stale fence')
  await expect(claimNamespace(gate, old)).rejects.toThrow('held under fence 5')

  const present = client.as(fenced(old.deploymentId, 5))
  await present.apply(ConfigMap, note(old.namespace, 'mine'), { fieldManager: 'helm' })
  const found = await client.get(ConfigMap, { namespace: old.namespace, name: 'note' })
  expect(found?.data).toEqual({ text: 'mine' })

  await expect(deleteHeldNamespace(gate, old)).rejects.toThrow('held under fence 5')
  await deleteHeldNamespace(gate, { ...old, fence: 5 })
  const going = await client.get(Namespace, { name: old.namespace })
  expect(going === undefined || going.metadata.deletionTimestamp !== undefined).toBe(true)
})

test('the fence of one deployment opens no other', async () => {
  const [one, other] = [holderOf(1), holderOf(1)]
  await createNamespace(gate, one)
  await createNamespace(gate, other)
  const stranger = client.as(fenced(one.deploymentId, 1))
  const refused = await untilEnforced(() =>
    stranger.apply(ConfigMap, note(other.namespace, 'x'), { fieldManager: 'helm' }),
  )
  expect(isStale(refused)).toBe(true)
  await client.delete(Namespace, { name: one.namespace })
  await client.delete(Namespace, { name: other.namespace })
})

test('a namespace that is not ours is never taken, nor written to', async () => {
  await using namespace = await freshNamespace(client)
  const holder = { ...holderOf(1), namespace: namespace.name }
  await expect(claimNamespace(gate, holder)).rejects.toThrow('is not ours')
  await expect(deleteHeldNamespace(gate, holder)).rejects.toThrow('is not ours')
  const us = client.as(fenced(holder.deploymentId, 1))
  await expect(us.apply(ConfigMap, note(namespace.name, 'x'), { fieldManager: 'helm' })).rejects.toThrow('forbidden')
  const untouched = await seen(client, Namespace, { name: namespace.name }, () => true)
  expect(untouched.metadata.annotations).toBeUndefined()
})

test('a cluster that admits nothing of a release lets its holder in all the same', async () => {
  const holder = holderOf(1)
  const { namespace } = holder
  await createNamespace(gate, holder)
  const inThere = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
  const anything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['CREATE' as const] }
  await client.create(ValidatingAdmissionPolicy, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: namespace },
    spec: {
      matchConstraints: { namespaceSelector: inThere, resourceRules: [anything] },
      validations: [{ expression: 'false', message: 'nothing new here' }],
    },
  })
  await client.create(ValidatingAdmissionPolicyBinding, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: namespace },
    spec: { policyName: namespace, validationActions: ['Deny'] },
  })
  try {
    const refused = await untilEnforced(() => client.apply(ConfigMap, note(namespace, 'x'), { dryRun: true }))
    expect(String(refused)).toContain('nothing new here')
    await claimNamespace(gate, { ...holder, fence: 2 })
    const present = await client.get(Namespace, { name: namespace })
    expect(present?.metadata.annotations?.['caelus.io/fence']).toBe('2')
  } finally {
    await client.delete(ValidatingAdmissionPolicyBinding, { name: namespace })
    await client.delete(ValidatingAdmissionPolicy, { name: namespace })
    await client.delete(Namespace, { name: namespace })
  }
})

test('rights that somebody took away or added to are put right', async () => {
  const holder = holderOf(1)
  const at = { namespace: holder.namespace, name: 'caelus-release' }
  await createNamespace(gate, holder)
  const subjects = async () => (await client.get(RoleBinding, at))?.subjects?.map(({ name }) => name)
  await client.delete(RoleBinding, at)
  await claimNamespace(gate, { ...holder, fence: 2 })
  expect(await subjects()).toEqual(['caelus:worker', 'caelus:viewer'])
  const stranger = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'stranger' }
  await client.patch(RoleBinding, at, { json: [{ op: 'add', path: '/subjects/-', value: stranger }] })
  await claimNamespace(gate, { ...holder, fence: 3 })
  expect(await subjects()).toEqual(['caelus:worker', 'caelus:viewer'])
  await client.delete(Namespace, { name: holder.namespace })
})

test('whoever looks writes in dry runs alone', async () => {
  const holder = holderOf(1)
  await createNamespace(gate, holder)
  const looking = client.as(viewing)
  const map = note(holder.namespace, 'seen')
  expect(await untilEnforced(() => looking.apply(ConfigMap, map))).toMatchObject({
    message: expect.stringContaining('caelus:viewer writes in dry runs alone'),
  })
  expect((await looking.apply(ConfigMap, map, { dryRun: true })).data).toEqual({ text: 'seen' })
  expect(await looking.get(ConfigMap, { namespace: holder.namespace, name: 'note' })).toBe(undefined)
  await client.delete(Namespace, { name: holder.namespace })
})

test('a release changes no namespace, not even its own, whatever the labels become', async () => {
  const holder = holderOf(1)
  await createNamespace(gate, holder)
  const us = client.as(fenced(holder.deploymentId, 1))
  const name = holder.namespace
  const free = {
    merge: { metadata: { labels: { [DEPLOYMENT_LABEL]: null, 'pod-security.kubernetes.io/enforce': 'privileged' } } },
  }
  for (const attempt of [() => us.patch(Namespace, { name }, free), () => us.delete(Namespace, { name })]) {
    expect(await untilEnforced(attempt)).toMatchObject({
      message: expect.stringContaining('does not change namespaces'),
    })
  }
  await client.delete(Namespace, { name })
})
