import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createEmitter } from '../../kernel/index.ts'
import { ConfigMap, makeClient, type KubeConfig } from '../../kube/index.ts'
import { connectCluster } from '../apps/cluster-connection.ts'
import { connectTo, LIMITS_OF_OTHERS } from './connect.ts'

/** The API server of somebody else. */
async function served(answer: (response: ServerResponse) => void): Promise<KubeConfig> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    answer(response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    context: 'test',
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    namespace: 'default',
    tls: { insecure: false },
    credentials: { kind: 'none', current: async () => ({}), refused: () => false },
  }
}

test('the API server of a cluster may cost a process less than its own', async () => {
  const config = await served((response) =>
    response.end('{"metadata":{"resourceVersion":"1","continue":"more"},"items":[]}'),
  )
  const own = connectTo(config, createEmitter())
  const connection = connectCluster({ helm: 'helm', home: '/nowhere', emitter: createEmitter(), onError: () => {} })
  const opened = connection('c1', config)
  onTestFinished(async () => {
    await opened.close()
    await own.close()
  })
  expect([own.maxStreams, opened.transport.maxStreams]).toEqual([1024, 64])
  expect([own.listLimits, opened.transport.listLimits]).toEqual([undefined, LIMITS_OF_OTHERS.lists])
  const client = makeClient(opened.transport, { fieldManager: 'test' })
  await expect(client.list(ConfigMap)).rejects.toThrow('the list has more than 20 pages')
})

test('a watch of a line without an end is given up', async () => {
  const config = await served((response) => {
    const write = (): void => {
      while (response.write('x'.repeat(4_096)));
      response.once('drain', write)
    }
    write()
  })
  const transport = connectTo(config, createEmitter(), { ...LIMITS_OF_OTHERS, maxLineBytes: 65_536 })
  onTestFinished(() => transport.close())
  const client = makeClient(transport, { fieldManager: 'test' })
  const watched = client.watchEvents(ConfigMap, {}, new AbortController().signal)
  await expect(Array.fromAsync(watched)).rejects.toThrow('a line of the stream has more than 65536 bytes')
})
