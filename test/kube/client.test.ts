import { describe, expect, test } from 'vitest'
import { failureOf } from '../../src/kernel/index.ts'
import {
  ConfigMap,
  Deployment,
  isConflict,
  KubeError,
  makeClient,
  Namespace,
  Pod,
  PodDisruptionBudget,
  ResourceQuota,
  withFaults,
  type Client,
} from '../../src/kube/index.ts'
import { freshNamespace, seen, testClient, testTransport } from '../support/kube.ts'
import { loopback } from './loopback.ts'

const configMap = (
  namespace: string,
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, labels }, data }) as const

const deployment = (namespace: string, name: string, replicas = 0) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example/image:1' }] },
      },
    },
  }) as const

const caught = (work: Promise<unknown>): Promise<KubeError> =>
  work.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => (error instanceof KubeError ? error : Promise.reject(error)),
  )

describe('applying', () => {
  test('names the managers of fields in conflict, and takes them only by force', async () => {
    await using client = await testClient('ours')
    await using namespace = await freshNamespace(client)
    const mine = deployment(namespace.name, 'web', 1)
    await client.apply(Deployment, mine, { fieldManager: 'autoscaler' })

    const error = await caught(client.apply(Deployment, { ...mine, spec: { ...mine.spec, replicas: 5 } }))
    expect(isConflict(error)).toBe(true)
    expect(error.conflicts).toEqual([{ field: '.spec.replicas', manager: 'autoscaler', subresource: undefined }])
    expect(failureOf(error)).toMatchObject({ code: 'KubeFieldConflict', whoseMove: 'operator', retryable: true })

    const forced = await client.apply(Deployment, { ...mine, spec: { ...mine.spec, replicas: 5 } }, { force: true })
    expect(forced.spec.replicas).toBe(5)
  })

  test('keeps nothing when it is only a try', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const tried = await client.apply(ConfigMap, configMap(namespace.name, 'a', { x: '1' }), { dryRun: true })
    expect(tried.data).toEqual({ x: '1' })
    expect(await client.get(ConfigMap, { namespace: namespace.name, name: 'a' })).toBeUndefined()
  })

  test('a status changes the status alone', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    await client.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: namespace.name },
      spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'example/image:1' }] },
    })
    const metadata = { name: 'p', namespace: namespace.name }
    const pod = await client.applyStatus(Pod, { metadata, status: { message: 'hello' } }, { force: true })
    expect(pod.status?.message).toBe('hello')
    expect((await client.patchStatus(Pod, metadata, { merge: { status: { message: 'again' } } })).status?.message).toBe(
      'again',
    )
  })
})

describe('patching', () => {
  test('speaks all three languages', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const where = { namespace: namespace.name, name: 'web' }
    await client.create(Deployment, deployment(namespace.name, 'web'))

    await client.patch(Deployment, where, { json: [{ op: 'add', path: '/metadata/labels', value: { a: '1' } }] })
    await client.patch(Deployment, where, { merge: { metadata: { labels: { b: '2' } } } })
    const containers = [{ name: 'side', image: 'example/side:1' }]
    const patched = await client.patch(Deployment, where, {
      strategic: { spec: { template: { spec: { containers } } } },
    })

    expect(patched.metadata.labels).toEqual({ a: '1', b: '2' })
    expect(patched.spec.template.spec?.containers.map(({ name }) => name).toSorted()).toEqual(['main', 'side'])
  })

  test('a json patch whose test fails changes nothing and is no use to repeat', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    await client.create(ConfigMap, configMap(namespace.name, 'a', { x: '1' }))
    const json = [
      { op: 'test', path: '/data/x', value: '2' },
      { op: 'remove', path: '/data/x' },
    ] as const
    const error = await caught(client.patch(ConfigMap, { namespace: namespace.name, name: 'a' }, { json }))
    expect(failureOf(error)).toMatchObject({ code: 'KubeInvalid', retryable: false })
  })

  test('scales through the subresource', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const where = { namespace: namespace.name, name: 'web' }
    await client.create(Deployment, deployment(namespace.name, 'web'))
    await client.patch(Deployment, where, { merge: { spec: { replicas: 3 } } }, { subresource: 'scale' })
    expect((await client.get(Deployment, where))?.spec.replicas).toBe(3)
    expect(await client.getSubresource(Deployment, where, 'scale')).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 3 },
    })
  })
})

describe('replacing', () => {
  test('is refused when the object moved on, and before it is sent when blind', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const first = await client.create(ConfigMap, configMap(namespace.name, 'a'))
    await client.replace(ConfigMap, { ...first, data: { x: '1' } })
    const error = await caught(client.replace(ConfigMap, { ...first, data: { x: '2' } }))
    expect(isConflict(error)).toBe(true)
    expect(failureOf(error)).toMatchObject({ code: 'KubeConflict', retryable: true })
    await expect(client.replace(ConfigMap, configMap(namespace.name, 'a'))).rejects.toThrow(
      'metadata.resourceVersion is missing; read it first, or apply it',
    )
  })
})

describe('deleting', () => {
  test('says whether there was anything, and spares a namesake', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const where = { namespace: namespace.name, name: 'a' }
    const { metadata } = await client.create(ConfigMap, configMap(namespace.name, 'a'))
    expect(
      isConflict(await caught(client.delete(ConfigMap, where, { uid: '00000000-0000-0000-0000-000000000000' }))),
    ).toBe(true)
    expect(await client.delete(ConfigMap, where, { uid: metadata.uid!, dryRun: true })).toEqual({ found: true })
    expect(await client.delete(ConfigMap, where, { uid: metadata.uid! })).toEqual({ found: true })
    expect(await client.delete(ConfigMap, where)).toEqual({ found: false })
  })

  test('evicts a pod only if its budget allows', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const metadata = { namespace: namespace.name, name: 'p', labels: { app: 'x' } }
    await client.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'example/image:1' }] },
    })
    await client.patchStatus(Pod, metadata, {
      merge: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
    })
    const budget = { namespace: namespace.name, name: 'b' }
    await client.create(PodDisruptionBudget, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: budget,
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
    })
    await seen(client, PodDisruptionBudget, budget, ({ status }) => status?.currentHealthy === 1)
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p', namespace: namespace.name } }
    const error = await caught(client.createSubresource(Pod, metadata, 'eviction', eviction))
    expect(failureOf(error)).toMatchObject({ code: 'KubeBusy', retryable: true })
    await client.delete(PodDisruptionBudget, budget)
    await client.createSubresource(Pod, metadata, 'eviction', eviction)
  })
})

describe('listing', () => {
  const filled = async (client: Client, namespace: string): Promise<void> => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await client.create(ConfigMap, configMap(namespace, name, {}, { odd: String(name < 'c') }))
  }

  test('collects all pages and selects by label and field', async () => {
    await using client = await testClient()
    await using transport = await testTransport()
    await using namespace = await freshNamespace(client)
    await filled(client, namespace.name)
    const paging = makeClient(transport, { fieldManager: 'test', pageSize: 2 })
    const names = async (where: object) =>
      (await paging.list(ConfigMap, { namespace: namespace.name, ...where })).map(({ metadata }) => metadata.name)
    expect(await names({})).toEqual(['a', 'b', 'c', 'd', 'e', 'kube-root-ca.crt'])
    expect(await names({ labels: 'odd=true' })).toEqual(['a', 'b'])
    expect(await names({ fields: 'metadata.name=d' })).toEqual(['d'])
    expect((await paging.list(ConfigMap, { namespace: namespace.name }))[0]).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    })
  })

  test('starts over in one piece when the rest of a paged list has expired', async () => {
    await using client = await testClient()
    await using transport = await testTransport()
    await using namespace = await freshNamespace(client)
    await filled(client, namespace.name)
    const expiring = withFaults(transport, ({ query }) =>
      query?.continue === undefined ? undefined : { fault: 'refused', status: 410, reason: 'Expired' },
    )
    const paging = makeClient(expiring, { fieldManager: 'test', pageSize: 2 })
    expect(await paging.list(ConfigMap, { namespace: namespace.name })).toHaveLength(6)
  })

  test('brings metadata alone when that is enough', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    await client.create(ConfigMap, configMap(namespace.name, 'a', { big: 'x'.repeat(1000) }))
    const { items } = await client.listPage(ConfigMap, { namespace: namespace.name, limit: 10, metadataOnly: true })
    const found = items.find(({ metadata }) => metadata.name === 'a')
    expect(found).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
    expect(found).not.toHaveProperty('data')
  })
})

test('a watch begins with the present objects, marks their end, and continues with changes', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  await client.create(ConfigMap, configMap(namespace.name, 'a'))
  const events: string[] = []
  const stop = AbortSignal.timeout(20_000)
  const options = {
    namespace: namespace.name,
    labels: '!system',
    fields: 'metadata.name!=kube-root-ca.crt',
    sendInitialEvents: true,
  }
  for await (const event of client.watchEvents(ConfigMap, options, stop)) {
    events.push(
      event.type === 'ERROR' || event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`,
    )
    if (event.type === 'BOOKMARK' && events.length === 2) {
      await client.apply(ConfigMap, configMap(namespace.name, 'a', { x: '1' }))
      await client.delete(ConfigMap, { namespace: namespace.name, name: 'a' })
    }
    if (event.type === 'DELETED') break
  }
  expect(events).toEqual(['ADDED a', 'BOOKMARK', 'MODIFIED a', 'DELETED a'])
})

describe('access', () => {
  test('is asked about ourselves and about others', async () => {
    await using client = await testClient()
    const question = { verb: 'delete', group: '', resource: 'nodes' }
    expect((await client.mayI(question)).allowed).toBe(true)
    expect((await client.mayI({ ...question, user: 'ada', groups: ['writers'] })).allowed).toBe(false)
    expect((await client.mayI({ ...question, user: 'ada', groups: ['system:masters'] })).allowed).toBe(true)
  })

  test('of somebody else is all that an impersonating client has', async () => {
    await using client = await testClient()
    const error = await caught(client.as({ user: 'ada' }).list(ConfigMap, { namespace: 'default' }))
    expect(error.message).toContain('User "ada" cannot list resource "configmaps"')
    expect(failureOf(error)).toMatchObject({ code: 'KubeForbidden', whoseMove: 'operator', retryable: true })
  })
})

describe('a refusal', () => {
  test('of an invalid object names the field and is not retried', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const web = deployment(namespace.name, 'web', -1)
    const error = await caught(client.create(Deployment, web))
    expect(error.message).toContain(`failed to create Deployment ${namespace.name}/web: `)
    expect(error.details.causes?.[0]?.field).toBe('spec.replicas')
    expect(failureOf(error)).toMatchObject({ code: 'KubeInvalid', whoseMove: 'user', retryable: false })
  })

  test('for lack of quota is the user’s to solve', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const metadata = { namespace: namespace.name, name: 'none' }
    await client.create(ResourceQuota, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata,
      spec: { hard: { 'count/configmaps': 0 } },
    })
    await client.patchStatus(ResourceQuota, metadata, {
      merge: { status: { hard: { 'count/configmaps': '0' }, used: { 'count/configmaps': '0' } } },
    })
    // Until then the server does not look at it: it learns of a quota by a watch of its own.
    const tried = () => client.create(ConfigMap, configMap(namespace.name, 'try'), { dryRun: true })
    await expect.poll(() => tried().then(() => 'taken', String)).toContain('quota')
    const error = await caught(client.create(ConfigMap, configMap(namespace.name, 'a')))
    expect(failureOf(error)).toMatchObject({ code: 'KubeQuotaExceeded', whoseMove: 'user', retryable: true })
  })

  test('by a terminating namespace is distinguished from missing rights', async () => {
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    await client.create(ConfigMap, {
      ...configMap(namespace.name, 'stays'),
      metadata: { namespace: namespace.name, name: 'stays', finalizers: ['example.com/wait'] },
    })
    await client.delete(Namespace, { name: namespace.name })
    const error = await caught(client.create(ConfigMap, configMap(namespace.name, 'late')))
    expect(failureOf(error)).toMatchObject({ code: 'KubeNamespaceTerminating' })
    await client.patch(
      ConfigMap,
      { namespace: namespace.name, name: 'stays' },
      { merge: { metadata: { finalizers: null } } },
    )
  })

  test('by a server that does not know the kind is not taken for absence', async () => {
    await using client = await testClient()
    const unknown = { group: 'nowhere.example', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false }
    const error = await caught(client.get(unknown, { name: 'a' }))
    expect(failureOf(error)).toMatchObject({ code: 'KubeNotFound', retryable: true })
  })

  test('to address nothing comes before anything is sent', async () => {
    await using client = await testClient()
    await expect(client.get(ConfigMap, { name: 'a' })).rejects.toThrow(
      'failed to address ConfigMap a: it is namespaced, and no namespace is given',
    )
    await expect(client.get(Namespace, { name: '' })).rejects.toThrow('the name is empty')
  })
})

test('the log of a pod is asked for as text', async () => {
  await using server = await loopback(
    (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('line 1\nline 2\n'),
  )
  const client = makeClient(server.transport, { fieldManager: 'test' })
  expect(await client.podLog({ namespace: 'a', name: 'b' }, { container: 'c', tailLines: 2, previous: true })).toBe(
    'line 1\nline 2\n',
  )
  expect(server.seen[0]?.url).toBe('/api/v1/namespaces/a/pods/b/log?container=c&tailLines=2&previous=true')
})
