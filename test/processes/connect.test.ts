import { expect, inject, test } from 'vitest'
import { createEmitter } from '../../src/kernel/index.ts'
import { makeClient, Namespace, type ConnectionEvents, type RequestEvents } from '../../src/kube/index.ts'
import { callsOutsideTransactions, connectKubernetes } from '../../src/processes/shared/connect.ts'
import { inTx } from '../../src/store/index.ts'
import { freshDatabase } from '../support/postgres.ts'

test('requests are reported, and refused inside a database transaction', async () => {
  await using database = await freshDatabase()
  const emitter = createEmitter<ConnectionEvents & RequestEvents>()
  const requests: string[] = []
  emitter.on('kube:request', ({ verb, resource, code }) => void requests.push(`${verb} ${resource} ${code}`))
  const transport = await connectKubernetes({ kubeconfig: inject('kubeconfig'), env: {}, emitter })
  expect(transport.maxStreams).toBeGreaterThan(0)
  const client = makeClient(transport, { fieldManager: 'test' })
  const read = (): Promise<unknown> => client.get(Namespace, { name: 'default' })
  expect(await read()).toBeDefined()
  await expect(inTx(database.pool, read)).rejects.toThrow('a database transaction is open')
  const watched = async (): Promise<void> => {
    for await (const _ of client.watchEvents(Namespace, {}, AbortSignal.timeout(60_000))) return
  }
  await expect(inTx(database.pool, watched)).rejects.toThrow('a database transaction is open')
  expect(await read()).toBeDefined()
  expect(requests).toEqual(['get namespaces 200', 'get namespaces 200'])
  await transport.close()
})

test('Helm and chart sources are not called inside a database transaction', async () => {
  await using database = await freshDatabase()
  const calls: string[] = []
  const port = callsOutsideTransactions('charts', {
    fetch: async (ref: string): Promise<string> => {
      calls.push(ref)
      return ref
    },
  })
  expect(await port.fetch('outside')).toBe('outside')
  await expect(inTx(database.pool, () => port.fetch('inside'))).rejects.toThrow(
    'failed to call fetch of charts: a database transaction is open',
  )
  expect(calls).toEqual(['outside'])
})
