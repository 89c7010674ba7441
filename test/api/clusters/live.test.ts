import { expect, test } from 'vitest'
import { clustersChanges } from '../../../src/api/routes/clusters/index.ts'
import type { EventView } from '../../../src/api/contract/index.ts'
import type { Audience } from '../../../src/api/live/events.ts'
import { placeApp, sayStatus } from '../../clusters/placed-app.ts'
import { publishLive } from '../live.ts'
import { clustersApi, type ClustersApi } from './world.ts'

const HEARD_WITHIN_MS = 60_000

/** Resolves when an event like it was published. */
function heard(w: ClustersApi, isIt: (event: EventView) => boolean): Promise<EventView> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('no such event was heard')), HEARD_WITHIN_MS)
    w.parts.events.onPublish((event) => {
      if (!isIt(event)) return
      clearTimeout(late)
      resolve(event)
    })
  })
}

test('members of the organization hear of its clusters by name and status, and strangers do not', async () => {
  await using w = await clustersApi()
  const stop = await publishLive(w, [clustersChanges])
  try {
    const ordered = heard(w, ({ topic }) => topic === 'clusters')
    const { id } = await w.create(w.owner)
    expect(await ordered).toMatchObject({
      topic: 'clusters',
      kind: 'Cluster',
      object_id: id,
      reason: 'pending',
      message: 'one is pending',
      tone: 'wait',
    })
    const renamed = heard(w, ({ message }) => message === 'two is pending')
    await w.as(w.owner.secret, { method: 'PATCH', url: `${w.path}/${id}`, payload: { name: 'two' } })
    await renamed
    const grown = heard(w, ({ object_id }) => object_id === id)
    const pool = { name: 'more', machine_type: 'small', autoscale_min: 0, autoscale_max: 1 }
    await w.as(w.owner.secret, { method: 'POST', url: `${w.path}/${id}/node-pools`, payload: pool })
    await grown
    const heardBy = async (secret: string): Promise<string[]> => {
      const { items } = (await w.as(secret, { url: '/api/v1/events' })).json<{ items: EventView[] }>()
      return items.map(({ topic }) => topic).filter((topic) => topic === 'clusters')
    }
    expect((await heardBy(w.viewer.secret)).length).toBeGreaterThan(0)
    expect((await heardBy(w.admin.secret)).length).toBeGreaterThan(0)
    expect(await heardBy(w.stranger.secret)).toEqual([])
  } finally {
    await stop()
  }
})

test('members hear that an app in a cluster changed, whoever it belongs to; it is news for its user alone', async () => {
  await using w = await clustersApi()
  const stop = await publishLive(w, [clustersChanges])
  try {
    const { id } = await w.create(w.owner)
    const isAbout = (status: string) => (event: EventView) => event.kind === 'ClusterApp' && event.reason === status
    const ordered = heard(w, isAbout('pending'))
    await placeApp(w.url, { clusterId: id, userId: w.member.userId, name: 'hello-1' })
    expect(await ordered).toMatchObject({ topic: 'clusters', object_id: 'hello-1', message: 'hello-1 is pending' })
    const audiences: Audience[] = []
    w.parts.events.onPublish((event, audience) => {
      if (isAbout('ready')(event)) audiences.push(audience)
    })
    const ready = heard(w, isAbout('ready'))
    await sayStatus(w.url, 'hello-1', 'ready')
    await ready
    expect(audiences).toEqual([{ tenants: [w.organization.id] }])
    for (const { secret } of [w.owner, w.member, w.stranger]) {
      const { items } = (await w.as(secret, { url: '/api/v1/events' })).json<{ items: EventView[] }>()
      expect(items.filter(({ kind }) => kind === 'ClusterApp')).toEqual([])
    }
  } finally {
    await stop()
  }
})

test.each([
  ['ready', null, 'one is ready', 'good'],
  ['error', 'ShootRefused', 'one is error (ShootRefused)', 'bad'],
  ['ready', 'GardenerUnreachable', 'one is ready (GardenerUnreachable)', 'bad'],
  ['deleting', null, 'one is deleting', 'wait'],
])('status %s with failure %s reads %s', (status, code, message, tone) => {
  const columns = { name: 'one', shoot_status: status, 'sync_failure.code': code }
  const change = { topic: 'clusters', kind: 'Cluster', id: 'x', tenant: 'y', operation: 'update', columns } as const
  expect(clustersChanges.describe(change)).toEqual({ reason: status, message, tone })
})
