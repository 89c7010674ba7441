import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import {
  httpTransport,
  loadKubeConfig,
  makeClient,
  Namespace,
  ServiceAccount,
  type Client,
  type HttpOptions,
  type HttpTransport,
  type KubeConfig,
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

/** A namespace of its own for one test, ready to take pods; it is deleted in the background afterwards. */
export async function freshNamespace(client: Client): Promise<FreshNamespace> {
  const name = `test-${randomBytes(5).toString('hex')}`
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const deadline = AbortSignal.timeout(20_000)
  const account = { namespace: name, fields: 'metadata.name=default' }
  for await (const { type } of client.watchEvents(ServiceAccount, account, deadline)) if (type === 'ADDED') break
  if (deadline.aborted) throw new Error(`failed to prepare namespace ${name}: no default service account within 20 s`)
  return { name, [Symbol.asyncDispose]: async () => void (await client.delete(Namespace, { name })) }
}
