import { expect, test } from 'vitest'
import { failureOf, manualClock, seededRandom } from '../../kernel/index.ts'
import { makeClient } from '../client/make-client.ts'
import { FakeKubernetes } from '../fake/index.ts'
import { ConfigMap } from '../resources.ts'
import type { KubeRequest, Transport } from '../transport/transport.ts'
import { applyFenced } from './fenced-apply.ts'

const KEY = 'caelus.dev/fence'
const AT = { namespace: 'default', name: 'settings' }
const draft = (by: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: AT, data: { by } }) as const

function world() {
  const transport = new FakeKubernetes({ clock: manualClock(), random: seededRandom(1) }).transport()
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const write = (value: number, by = `fence ${value}`) =>
    applyFenced(client, ConfigMap, draft(by), { key: KEY, value }).catch(failureOf)
  /** A writer that is overtaken by `other` between reading and writing, so many times. */
  const overtaken = async (value: number, other: () => Promise<unknown>, times = 1) => {
    const sent: KubeRequest['method'][] = []
    const slow: Transport = {
      ...transport,
      async send(request) {
        sent.push(request.method)
        if (request.method === 'PATCH' && times-- > 0) await other()
        return transport.send(request)
      },
    }
    const slowClient = makeClient(slow, { fieldManager: 'caelus' })
    const result = await applyFenced(slowClient, ConfigMap, draft(`fence ${value}`), { key: KEY, value }).catch(
      failureOf,
    )
    return { result, sent }
  }
  return { client, write, overtaken, live: async () => (await client.get(ConfigMap, AT))?.data?.['by'] }
}

test('a writer creates the object with its fence, and newer writers replace it', async () => {
  const { client, write, live } = world()
  await write(3)
  await write(3, 'the same writer')
  expect(await live()).toBe('the same writer')
  await write(4)
  expect((await client.get(ConfigMap, AT))?.metadata.annotations).toEqual({ [KEY]: '4' })
  expect(await live()).toBe('fence 4')
})

test('an older writer is refused', async () => {
  const { write, live } = world()
  await write(4)
  expect(await write(3)).toMatchObject({
    code: 'KubeStaleFence',
    retryable: true,
    message: 'failed to apply ConfigMap settings: its annotation caelus.dev/fence is 4, and our fence is 3',
  })
  expect(await live()).toBe('fence 4')
})

test('an object without a fence is taken over', async () => {
  const { client, write, live } = world()
  await client.apply(ConfigMap, draft('before'))
  await write(1)
  expect(await live()).toBe('fence 1')
})

test.each(['created', 'changed'])(
  'an older writer is refused when a newer one has %s the object in between',
  async (how) => {
    const { write, overtaken, live } = world()
    if (how === 'changed') await write(2)
    const { result, sent } = await overtaken(3, () => write(4))
    expect(result).toMatchObject({ code: 'KubeStaleFence' })
    expect(sent).toEqual(['GET', 'PATCH', 'GET'])
    expect(await live()).toBe('fence 4')
  },
)

test('an object that was deleted after it was read is not created by the same apply', async () => {
  const { client, write, overtaken, live } = world()
  await write(2)
  const { sent } = await overtaken(3, () => client.delete(ConfigMap, AT))
  expect(sent).toEqual(['GET', 'PATCH', 'GET', 'PATCH'])
  expect(await live()).toBe('fence 3')
})

test('a writer that is overtaken again and again gives up', async () => {
  const { client, write, overtaken } = world()
  await write(2)
  let n = 0
  const touch = () => client.patch(ConfigMap, AT, { merge: { data: { n: String(n++) } } })
  const { result, sent } = await overtaken(3, touch, Number.POSITIVE_INFINITY)
  expect(result).toMatchObject({ code: 'KubeConflict' })
  expect(sent).toHaveLength(10)
})

test('a field of another manager is a conflict, which is not retried', async () => {
  const { client, overtaken } = world()
  await client.apply(ConfigMap, draft('them'), { fieldManager: 'them' })
  const { result, sent } = await overtaken(3, async () => {})
  expect(result).toMatchObject({ code: 'KubeFieldConflict' })
  expect(sent).toEqual(['GET', 'PATCH'])
})
