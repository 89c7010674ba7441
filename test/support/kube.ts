import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import {
  ConfigMap,
  httpTransport,
  loadKubeConfig,
  makeClient,
  Namespace,
  ServiceAccount,
  type Client,
  type HttpOptions,
  type HttpTransport,
  type At,
  type KubeConfig,
  type KubeObject,
  type Resource,
} from '../../src/kube/index.ts'

export const testConfig = (): Promise<KubeConfig> => loadKubeConfig({ path: inject('kubeconfig') })

/** The way to the control plane of this run, as its administrator. */
export async function testTransport(options: HttpOptions = {}): Promise<HttpTransport & AsyncDisposable> {
  const transport = httpTransport(await testConfig(), options)
  return { ...transport, [Symbol.asyncDispose]: () => transport.close() }
}

export async function testClient(fieldManager = 'test'): Promise<Client & AsyncDisposable> {
  const transport = await testTransport()
  return { ...makeClient(transport, { fieldManager }), [Symbol.asyncDispose]: () => transport.close() }
}

export interface FreshNamespace extends AsyncDisposable {
  readonly name: string
}

/** A namespace of its own for one test with all that every namespace gets; it is deleted in the background afterwards. */
export async function freshNamespace(client: Client): Promise<FreshNamespace> {
  const name = `test-${randomBytes(5).toString('hex')}`
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  await seen(client, ServiceAccount, { namespace: name, name: 'default' }, () => true)
  await seen(client, ConfigMap, { namespace: name, name: 'kube-root-ca.crt' }, () => true)
  return { name, [Symbol.asyncDispose]: async () => void (await client.delete(Namespace, { name })) }
}

/** The object once it is as expected; a deadline makes sure that a test never waits for ever. */
export async function seen<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  { namespace, name }: At,
  expected: (object: T) => boolean,
): Promise<T> {
  const deadline = AbortSignal.timeout(60_000)
  let last: unknown = 'nothing'
  while (!deadline.aborted) {
    const options = { ...(namespace !== undefined && { namespace }), fields: `metadata.name=${name}` }
    for await (const event of client.watchEvents(resource, options, deadline)) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
      if (expected(event.object)) return event.object
      last = event.object
    }
  }
  throw new Error(`failed to see ${resource.kind} ${name} as expected within 60 s; last seen: ${JSON.stringify(last)}`)
}
