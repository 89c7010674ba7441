import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  openMockGarden,
  type MockGarden,
  type MockGardenOptions,
} from '../../src/domains/clusters/gardener/stand-in/mock.ts'
import { Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import { CLUSTER_ID, type Shoot } from '../../src/domains/clusters/gardener/shoot.ts'
import { createEmitter, startAll, systemClock } from '../../src/kernel/index.ts'
import { KubeError, makeClient, type KubeRequest, type Transport, type WatchEvents } from '../../src/kube/index.ts'

/** A request that waits for its answer. */
export interface Held {
  readonly reached: Promise<void>
  release(): void
}

export interface ServedGarden extends AsyncDisposable {
  /** For processes with GARDENER_MODE=real. */
  readonly env: Readonly<Record<string, string>>
  /** The next request that writes a Shoot is not answered until it is released. */
  holdWrite(): Held
  shootOf(clusterId: string): Promise<Shoot | undefined>
}

export interface ServedMock extends ServedGarden {
  readonly mock: MockGarden
}

export interface ServedMockOptions extends Pick<MockGardenOptions, 'kubeconfigOf'> {
  /** Of one of the four steps of an operation. @default 50 */
  readonly stepMs?: number
}

/** The garden in memory behind HTTP, so that several processes share one and survive each other. */
export async function servedGarden(
  dir: string,
  { stepMs = 50, ...options }: ServedMockOptions = {},
): Promise<ServedMock> {
  const mock = await openMockGarden({
    ...options,
    clock: systemClock,
    random: Math.random,
    emitter: createEmitter<WatchEvents>(),
    pace: { stepMs, steps: 4 },
    namespaceAfterMs: 50,
  })
  const stop = await startAll(mock.services)
  const served = await serveGarden(dir, mock.transport)
  return {
    ...served,
    mock,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]()
      await stop()
    },
  }
}

/** Any garden behind HTTP of this process, which can hold back what is sent to it. */
export async function serveGarden(dir: string, transport: Transport): Promise<ServedGarden> {
  const operator = makeClient(transport, { fieldManager: 'operator' })
  const holds: { readonly reached: () => void; readonly released: Promise<void> }[] = []

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await requestOf(incoming, response)
    if (request.method === 'PATCH' && request.path.includes('/shoots/')) {
      const hold = holds.shift()
      hold?.reached()
      await hold?.released
    }
    if (request.query?.['watch'] !== undefined) return await stream(request, response)
    const { status, body } = await transport.send(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const stream = async (request: KubeRequest, response: ServerResponse): Promise<void> => {
    const onOpen = (): void => response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    for await (const line of transport.stream({ ...request, onOpen })) response.write(`${JSON.stringify(line)}\n`)
    response.end()
  }
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (!(error instanceof KubeError) || response.headersSent) response.destroy()
      else
        response.writeHead(error.status, { 'content-type': 'application/json' }).end(JSON.stringify({ kind: 'Status' }))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const kubeconfig = join(dir, 'garden-kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  return {
    env: { GARDENER_MODE: 'real', GARDENER_KUBECONFIG: kubeconfig },
    holdWrite() {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      holds.push({ reached: reached.resolve, released: released.promise })
      return { reached: reached.promise, release: released.resolve }
    },
    async shootOf(clusterId) {
      const [found] = await operator.list(Shoots, { labels: `${CLUSTER_ID}=${clusterId}` })
      return found
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function requestOf(incoming: IncomingMessage, response: ServerResponse): Promise<KubeRequest> {
  const url = new URL(incoming.url ?? '', 'http://garden')
  const body = await text(incoming)
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const contentType = incoming.headers['content-type']
  return {
    method: incoming.method as KubeRequest['method'],
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    ...(body !== '' && { body: JSON.parse(body) as unknown }),
    ...(contentType !== undefined && { contentType }),
    signal: gone.signal,
  }
}

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'garden', cluster: { server } }],
    users: [{ name: 'caelus', user: { token: 'of-tests-only' } }],
    contexts: [{ name: 'garden', context: { cluster: 'garden', user: 'caelus' } }],
    'current-context': 'garden',
  })
