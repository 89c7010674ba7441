import { describe, expect, test } from 'vitest'
import { failureOf, manualClock, seededRandom } from '../../kernel/index.ts'
import type { Client } from '../client/client.ts'
import { makeClient } from '../client/make-client.ts'
import { FakeKubernetes } from '../fake/index.ts'
import { ConfigMap } from '../resources.ts'
import type { KubeRequest, Transport } from '../transport/transport.ts'
import { applyFenced, deleteFenced, patchFenced, type MergePatch } from './fenced-writes.ts'

const KEY = 'caelus.dev/fence'
const AT = { namespace: 'default', name: 'settings' }
const draft = (by: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: AT, data: { by } }) as const

function world() {
  const transport = new FakeKubernetes({ clock: manualClock(), random: seededRandom(1) }).transport()
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const writer = (by: Client, value: number) => {
    const fence = { key: KEY, value }
    return {
      apply: (text = `fence ${value}`) => applyFenced(by, ConfigMap, draft(text), fence).catch(failureOf),
      patch: (patch: MergePatch) => patchFenced(by, ConfigMap, AT, patch, fence).catch(failureOf),
      delete: () => deleteFenced(by, ConfigMap, AT, fence).catch(failureOf),
    }
  }
  /** A writer that is overtaken by `other` between reading and writing, so many times. */
  const overtaken = (value: number, other: () => Promise<unknown>, times = 1) => {
    const sent: KubeRequest['method'][] = []
    const slow: Transport = {
      ...transport,
      async send(request) {
        sent.push(request.method)
        if (request.method !== 'GET' && times-- > 0) await other()
        return transport.send(request)
      },
    }
    const slowClient = makeClient(slow, { fieldManager: 'caelus' })
    return { sent, client: slowClient, ...writer(slowClient, value) }
  }
  return {
    client,
    overtaken,
    writer: (value: number) => writer(client, value),
    write: (value: number, by?: string) => writer(client, value).apply(by),
    live: async () => (await client.get(ConfigMap, AT))?.data?.['by'],
    annotations: async () => (await client.get(ConfigMap, AT))?.metadata.annotations,
  }
}

test('a writer creates the object with its fence, and newer writers replace it', async () => {
  const { write, live, annotations } = world()
  await write(3)
  await write(3, 'the same writer')
  expect(await live()).toBe('the same writer')
  await write(4)
  expect(await annotations()).toEqual({ [KEY]: '4' })
  expect(await live()).toBe('fence 4')
})

test('an older writer is refused', async () => {
  const { write, live } = world()
  await write(4)
  expect(await write(3)).toMatchObject({
    code: 'KubeStaleFence',
    retryable: true,
    message: 'failed to write ConfigMap default/settings: its annotation caelus.dev/fence is 4, and our fence is 3',
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
    const { sent, apply } = overtaken(3, () => write(4))
    expect(await apply()).toMatchObject({ code: 'KubeStaleFence' })
    expect(sent).toEqual(['GET', 'PATCH', 'GET'])
    expect(await live()).toBe('fence 4')
  },
)

test('an object that was deleted after it was read is not created by the same apply', async () => {
  const { client, write, overtaken, live } = world()
  await write(2)
  const { sent, apply } = overtaken(3, () => client.delete(ConfigMap, AT))
  await apply()
  expect(sent).toEqual(['GET', 'PATCH', 'GET', 'PATCH'])
  expect(await live()).toBe('fence 3')
})

describe('a writer that is overtaken again and again', () => {
  async function overtakenTimes(times: number) {
    const { client, write, overtaken, live } = world()
    await write(2)
    let n = 0
    const touch = () => client.patch(ConfigMap, AT, { merge: { data: { n: String(n++) } } })
    return { live, ...overtaken(3, touch, times) }
  }

  test('writes once a burst of writes is over', async () => {
    const { live, apply } = await overtakenTimes(12)
    await apply()
    expect(await live()).toBe('fence 3')
  })

  test('gives up when they do not end', async () => {
    const { sent, apply } = await overtakenTimes(Number.POSITIVE_INFINITY)
    expect(await apply()).toMatchObject({ code: 'KubeConflict' })
    expect(sent).toHaveLength(40)
  })
})

test('a field of another manager is a conflict, which is not retried', async () => {
  const { client, overtaken } = world()
  await client.apply(ConfigMap, draft('them'), { fieldManager: 'them' })
  const { sent, apply } = overtaken(3, async () => {})
  expect(await apply()).toMatchObject({ code: 'KubeFieldConflict' })
  expect(sent).toEqual(['GET', 'PATCH'])
})

describe('a fence annotation that another writer has changed', () => {
  const annotate = (client: Client, fence: string | null) =>
    client.patch(
      ConfigMap,
      AT,
      { merge: { metadata: { annotations: { [KEY]: fence } } } },
      { fieldManager: 'kubectl-annotate' },
    )
  const annotated = async (fence: string | null) => {
    const made = world()
    await made.write(3)
    await annotate(made.client, fence)
    return made
  }

  test.each([null, '2', 'x', '', '-1', '04', '1.5', '1e300', '0x10', '9007199254740992', 'Infinity'])(
    'is taken over: %j',
    async (fence) => {
      const { write, annotations } = await annotated(fence)
      expect(await write(4)).toMatchObject({ data: { by: 'fence 4' } })
      expect(await annotations()).toEqual({ [KEY]: '4' })
      expect(await write(3)).toMatchObject({ code: 'KubeStaleFence' })
      expect(await write(5)).toMatchObject({ data: { by: 'fence 5' } })
    },
  )

  test('keeps us out while its number is greater, and the failure says what to remove', async () => {
    const { client, writer, live } = await annotated('1000')
    const refusal = {
      code: 'KubeStaleFence',
      message:
        'failed to write ConfigMap default/settings: its annotation caelus.dev/fence is 1000, and our fence is 4',
      nextStep: expect.stringContaining('remove the annotation that the message names') as string,
    }
    expect(await writer(4).apply()).toMatchObject(refusal)
    expect(await writer(4).patch({ data: { by: 'a patch' } })).toMatchObject(refusal)
    expect(await writer(4).delete()).toMatchObject(refusal)
    expect(await live()).toBe('fence 3')
    await annotate(client, null)
    expect(await writer(4).apply()).toMatchObject({ data: { by: 'fence 4' } })
  })

  test('is not taken over together with a field of another manager', async () => {
    const { client, write, live, annotations } = await annotated('2')
    await client.patch(ConfigMap, AT, { merge: { data: { by: 'them' } } }, { fieldManager: 'them' })
    expect(await write(4)).toMatchObject({ code: 'KubeFieldConflict' })
    expect(await live()).toBe('them')
    expect(await annotations()).toEqual({ [KEY]: '2' })
  })

  test('is not taken over from a successor that has written since', async () => {
    const { overtaken, writer, live, annotations } = await annotated('2')
    const { sent, apply } = overtaken(4, () => writer(5).patch({ data: { n: '1' } }))
    expect(await apply()).toMatchObject({ code: 'KubeStaleFence' })
    expect(sent).toEqual(['GET', 'PATCH', 'PATCH', 'GET'])
    expect(await live()).toBe('fence 3')
    expect(await annotations()).toEqual({ [KEY]: '5' })
  })
})

describe('an apply in view of the live object', () => {
  test('is prepared again for the object that came in between', async () => {
    const { client, write, overtaken, live } = world()
    await write(2, 'first')
    const seen: (string | undefined)[] = []
    const slow = overtaken(3, () => client.apply(ConfigMap, draft('second'))).client
    await applyFenced(
      slow,
      ConfigMap,
      draft('third'),
      { key: KEY, value: 3 },
      {
        prepare: (asked, there) => {
          seen.push(there?.data?.['by'])
          return { ...asked, data: { by: `third after ${there?.data?.['by']}` } }
        },
      },
    )
    expect(seen).toEqual(['first', 'second'])
    expect(await live()).toBe('third after second')
  })

  test('is not sent when its preparation refuses it', async () => {
    const { client, write, live } = world()
    await write(2, 'first')
    const refuse = () => {
      throw new Error('not ours')
    }
    const fence = { key: KEY, value: 3 }
    await expect(applyFenced(client, ConfigMap, draft('x'), fence, { prepare: refuse })).rejects.toThrow('not ours')
    expect(await live()).toBe('first')
  })
})

describe('a fenced patch', () => {
  test('may be made from the object that was read, and be none', async () => {
    const { client, write, live } = world()
    await write(2, 'first')
    const fence = { key: KEY, value: 3 }
    await patchFenced(client, ConfigMap, AT, ({ data }) => ({ data: { by: `${data?.['by']} again` } }), fence)
    expect(await live()).toBe('first again')
    expect(await patchFenced(client, ConfigMap, AT, () => undefined, fence)).toBeUndefined()
    expect(await live()).toBe('first again')
  })

  const retry = { metadata: { annotations: { operation: 'retry' } } }

  test('keeps the applied fields, and raises the fence for older writers', async () => {
    const { writer, live, annotations } = world()
    await writer(3).apply()
    expect(await writer(4).patch(retry)).toMatchObject({ data: { by: 'fence 3' } })
    expect(await annotations()).toEqual({ [KEY]: '4', operation: 'retry' })
    expect(await writer(3).apply()).toMatchObject({ code: 'KubeStaleFence' })
    expect(await writer(3).patch(retry)).toMatchObject({ code: 'KubeStaleFence' })
    await writer(5).apply()
    expect(await live()).toBe('fence 5')
    expect(await annotations()).toEqual({ [KEY]: '5', operation: 'retry' })
  })

  test('removes what is null', async () => {
    const { writer, annotations } = world()
    await writer(3).apply()
    await writer(3).patch(retry)
    await writer(3).patch({ metadata: { annotations: { operation: null } } })
    expect(await annotations()).toEqual({ [KEY]: '3' })
  })

  test('of an older writer is refused when a newer one has changed the object in between', async () => {
    const { write, overtaken, annotations } = world()
    await write(2)
    const { sent, patch } = overtaken(3, () => write(4))
    expect(await patch(retry)).toMatchObject({ code: 'KubeStaleFence' })
    expect(sent).toEqual(['GET', 'PATCH', 'GET'])
    expect(await annotations()).toEqual({ [KEY]: '4' })
  })

  test('does not create the object, also if it was deleted in between', async () => {
    const { client, write, overtaken, writer } = world()
    expect(await writer(3).patch(retry)).toBeUndefined()
    await write(2)
    const { sent, patch } = overtaken(3, () => client.delete(ConfigMap, AT))
    expect(await patch(retry)).toBeUndefined()
    expect(sent).toEqual(['GET', 'PATCH', 'GET'])
  })
})

describe('a fenced deletion', () => {
  test('deletes the object, and has nothing to do when there is none', async () => {
    const { writer, live } = world()
    await writer(3).apply()
    expect(await writer(3).delete()).toEqual({ found: true })
    expect(await live()).toBeUndefined()
    expect(await writer(3).delete()).toEqual({ found: false })
  })

  test('of one object spares its successor', async () => {
    const { client, writer, live } = world()
    await writer(3).apply('first')
    const { metadata } = (await client.get(ConfigMap, AT)) ?? {}
    await client.delete(ConfigMap, AT)
    await writer(3).apply('second')
    const deleted = deleteFenced(client, ConfigMap, AT, { key: KEY, value: 3 }, { uid: metadata?.uid ?? '' })
    expect(await deleted).toEqual({ found: false })
    expect(await live()).toBe('second')
  })

  test('of an older writer is refused, also when a newer one has changed the object in between', async () => {
    const { write, writer, overtaken, live } = world()
    await write(2)
    const { sent, delete: remove } = overtaken(3, () => write(4))
    expect(await remove()).toMatchObject({ code: 'KubeStaleFence' })
    expect(sent).toEqual(['GET', 'DELETE', 'GET'])
    expect(await writer(3).delete()).toMatchObject({ code: 'KubeStaleFence' })
    expect(await live()).toBe('fence 4')
  })

  test('spares an object that a newer writer has created in its place', async () => {
    const { client, write, overtaken, live } = world()
    await write(2)
    const { delete: remove } = overtaken(3, async () => {
      await client.delete(ConfigMap, AT)
      await write(4)
    })
    expect(await remove()).toMatchObject({ code: 'KubeStaleFence' })
    expect(await live()).toBe('fence 4')
  })

  test('is repeated after a write that is not newer', async () => {
    const { client, write, overtaken, live } = world()
    await write(2)
    const touch = () => client.patch(ConfigMap, AT, { merge: { data: { n: '1' } } })
    expect(await overtaken(3, touch).delete()).toEqual({ found: true })
    expect(await live()).toBeUndefined()
  })
})
