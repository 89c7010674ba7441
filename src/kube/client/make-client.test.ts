import { expect, test } from 'vitest'
import { ConfigMap } from '../resources.ts'
import type { Transport } from '../transport/transport.ts'
import { makeClient } from './make-client.ts'

/** A server whose list of ConfigMaps has `last` pages of one object each. */
function scene(last: number, listLimits?: Transport['listLimits']) {
  let pages = 0
  const transport: Transport = {
    async send() {
      pages++
      const metadata = { resourceVersion: '1', ...(pages < last && { continue: `page ${pages}` }) }
      const items = [{ metadata: { namespace: 'a', name: `${pages}`, resourceVersion: '1' } }]
      return { status: 200, headers: {}, body: { metadata, items }, bytes: 100 }
    },
    stream: () => expect.fail('nothing is watched'),
    ...(listLimits !== undefined && { listLimits }),
  }
  return { client: makeClient(transport, { fieldManager: 'test' }), pages: () => pages }
}

test('a list is read to its end', async () => {
  const { client } = scene(30)
  const all = await client.list(ConfigMap)
  expect(all.map(({ metadata }) => metadata.name)).toHaveLength(30)
  expect(all[29]).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'a', name: '30', resourceVersion: '1' },
  })
})

test.each([
  ['without an end', { pages: 20, bytes: Infinity }, 'more than 20 pages', 20],
  ['of large pages', { pages: 20, bytes: 450 }, 'more than 450 bytes', 5],
])('a list %s is refused by a transport with limits', async (_, limits, why, asked) => {
  const { client, pages } = scene(Infinity, limits)
  await expect(client.list(ConfigMap)).rejects.toMatchObject({
    failure: { code: 'KubeAnswerTooLarge', message: `failed to list configmaps: the list has ${why}` },
  })
  expect(pages()).toBe(asked)
})

test('a list that just keeps to the limits is read', async () => {
  const { client } = scene(20, { pages: 20, bytes: 2_000 })
  expect(await client.as({ user: 'somebody' }).list(ConfigMap)).toHaveLength(20)
})
