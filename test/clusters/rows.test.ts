import { expect, test } from 'vitest'
import { clusterRows } from '../../src/domains/clusters/store/index.ts'
import { clusterKey } from '../../src/domains/clusters/queue.ts'
import type { ClusterEvent } from '../../src/domains/clusters/rows.ts'
import type { Pool } from '../../src/store/index.ts'
import { exerciseClusterRows } from '../conformance/cluster-rows.ts'
import { clustersWorld, order, type ClustersWorld } from './world.ts'

exerciseClusterRows('PostgreSQL', async () => {
  const world = await clustersWorld()
  const { database, clusters, ann, acme } = world
  let [orders, changes] = [0, 0]
  return {
    queue: world.queue,
    rows: world.rows,
    async order() {
      return (await clusters.createCluster(ann, acme, order({ name: `c${++orders}` }))).id
    },
    async change(id) {
      await clusters.updateCluster(ann, acme, id, { name: `changed${++changes}` })
    },
    async remove(id) {
      await clusters.deleteCluster(ann, acme, id)
    },
    async lapse() {
      await database.pool.query(`update caelus.job set lease_until = now() - interval '1 second'`)
    },
    async events(id) {
      const rows = await database.pool.query<{ event: ClusterEvent }>(
        `select jsonb_strip_nulls(jsonb_build_object('type', event_type, 'message', message, 'attempt', attempt)) as event
         from tenant.cluster_events where cluster_id = $1 order by id`,
        [id],
      )
      return rows.map(({ event }) => event)
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
})

/** The pool, and how many statements went through it. */
function counted(pool: Pool): { readonly pool: Pool; readonly count: () => number } {
  let count = 0
  return {
    pool: { ...pool, query: (...rest: Parameters<Pool['query']>) => (count++, pool.query(...rest)) },
    count: () => count,
  }
}

test('a row is one query, and so is a page of a thousand rows', async () => {
  await using w = await clustersWorld()
  await w.database.pool.query(
    `insert into tenant.clusters (organization_id, name, region, kubernetes_version)
     select $1, 'c' || n, 'local', '1.34' from generate_series(1, 1000) n`,
    [w.acme],
  )
  await w.database.pool.query(
    `insert into tenant.node_pools (cluster_id, organization_id, name, machine_type, autoscale_min, autoscale_max)
     select id, organization_id, pool, 'small', 1, 3 from tenant.clusters, unnest(array['a', 'b']) pool`,
  )
  const { pool, count } = counted(w.database.openPool({ role: 'caelus_worker' }))
  const rows = clusterRows(pool)
  const page = await rows.page(undefined, 1000)
  expect(page).toHaveLength(1000)
  expect(page.every(({ cluster, sync }) => cluster.nodePools.length === 2 && sync.generation === 2)).toBe(true)
  expect(count()).toBe(1)
  const [first] = page
  expect(await rows.load(first?.cluster.id ?? '')).toEqual(first)
  expect(count()).toBe(2)
})

test('the history names the worker that holds the lease', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const [claim] = await w.queue.claim('worker-7', 1)
  expect(claim?.key).toEqual(clusterKey(id))
  await w.rows.write(id, claim?.fence ?? 0, {}, [{ type: 'sync_claimed', message: 'taken', attempt: 1 }])
  const seenBy = async (actor: typeof w.ann): Promise<string[]> =>
    (await w.clusters.listEvents(actor, w.acme, id, { limit: 5 })).items.map(
      ({ type, actor: by, message }) => `${type} ${by} ${message}`,
    )
  expect(await seenBy(w.ann)).toEqual(['sync_claimed platform taken', 'sync_requested ann@example.org ordered'])
  expect(await seenBy(w.vic)).toEqual(await seenBy(w.ann))
  expect(await seenBy(w.admin)).toEqual(['sync_claimed worker-7 taken', 'sync_requested ann@example.org ordered'])
})

test('a change of a person and the write of a worker never deadlock', async () => {
  await using w = await clustersWorld()
  const { id } = await w.clusters.createCluster(w.ann, w.acme, order())
  const [claim] = await w.queue.claim('worker', 1)
  const write = async (attempts: number): Promise<void> => {
    expect(await w.rows.write(id, claim?.fence ?? 0, { attempts }, [])).toBe(true)
  }
  const deadlocks = async (): Promise<number> => {
    const [row] = await w.database.pool.query<{ deadlocks: number }>(
      `select pg_stat_force_next_flush(), deadlocks::int from pg_stat_database where datname = current_database()`,
    )
    return row?.deadlocks ?? -1
  }
  const writes = Array.from({ length: 200 }, (_, n) => n)
  await Promise.all([
    (async () => {
      for (const n of writes) await write(n)
    })(),
    (async () => {
      for (const n of writes) {
        await w.clusters.updateCluster(w.ann, w.acme, id, { name: `n${n}` })
      }
    })(),
  ])
  expect(await deadlocks()).toBe(0)
  expect((await w.rows.load(id))?.sync.generation).toBe(201)
})

/** Three clusters of Acme that a worker holds, with their fences. */
async function heldClusters(w: ClustersWorld): Promise<{ readonly id: string; readonly fence: number }[]> {
  for (const name of ['a', 'b', 'c']) await w.clusters.createCluster(w.ann, w.acme, order({ name }))
  return (await w.queue.claim('worker', 3)).map(({ key, fence }) => ({ id: key.id, fence }))
}

test('rows that are loaded and written at the same time share statements', async () => {
  await using w = await clustersWorld()
  const held = await heldClusters(w)
  const { pool, count } = counted(w.database.openPool({ role: 'caelus_worker' }))
  const rows = clusterRows(pool)
  const write = ({ id, fence }: (typeof held)[number], n: number) =>
    rows.write(id, n === 1 ? fence + 1 : fence, { attempts: n + 5 }, [{ type: 'sync_failed', message: `of ${n}` }])
  expect(await Promise.all(held.map(write))).toEqual([true, false, true])
  const loaded = await Promise.all(held.map(({ id }) => rows.load(id)))
  expect(loaded.map((row) => [row?.cluster.id, row?.sync.attempts])).toEqual([
    [held[0]?.id, 5],
    [held[1]?.id, 0],
    [held[2]?.id, 7],
  ])
  expect(count()).toBe(2)
  const events = (id = '') => w.clusters.listEvents(w.ann, w.acme, id, { limit: 1 })
  expect((await events(held[2]?.id)).items).toMatchObject([{ type: 'sync_failed', message: 'of 2' }])
})

test('a row that cannot be written fails alone', async () => {
  await using w = await clustersWorld()
  const held = await heldClusters(w)
  const written = await Promise.allSettled(
    held.map(({ id, fence }, n) => w.rows.write(id, fence, { attempts: n === 1 ? -1 : 4 }, [])),
  )
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const attempts = await Promise.all(held.map(async ({ id }) => (await w.rows.load(id))?.sync.attempts))
  expect(attempts).toEqual([4, 0, 4])
})

test('a row that a person is changing is waited for alone', async () => {
  await using w = await clustersWorld()
  const held = await heldClusters(w)
  const [first, second] = held
  const session = await w.database.pool.connect()
  await session.query('begin')
  await session.query(`select from caelus.job where id = '${second?.id}' for update`)
  const [one, two] = [first, second].map((row) => w.rows.write(row?.id ?? '', row?.fence ?? 0, { attempts: 3 }, []))
  expect(await one).toBe(true)
  await session.query('commit')
  expect(await two).toBe(true)
  session.release()
})

test('a watch that is current gives every status its age', async () => {
  await using w = await clustersWorld()
  const { id, statusAsOf } = await w.clusters.createCluster(w.ann, w.acme, order())
  expect(statusAsOf).toBeNull()
  await w.rows.seen('worker-1')
  const [first, now] = [await w.clusters.getCluster(w.vic, w.acme, id), Date.now()]
  expect(Math.abs((first.statusAsOf ?? 0) - now)).toBeLessThan(30_000)
  // Something happened that no worker has looked at yet.
  await w.database.pool.query(
    `update tenant.cluster_sync set shoot_status_updated = now() - interval '2 hours' where cluster_id = '${id}'`,
  )
  await w.database.pool.query(`update caelus.job set due_at = now() - interval '1 hour' where id = '${id}'`)
  const late = await w.clusters.getCluster(w.vic, w.acme, id)
  expect(Math.abs((late.statusAsOf ?? 0) - (now - 3_600_000))).toBeLessThan(30_000)
  await w.database.pool.query(`update tenant.cluster_watch set seen = now() - interval '2 days'`)
  await w.rows.seen('worker-2')
  expect(await w.database.pool.query('select instance from tenant.cluster_watch')).toEqual([{ instance: 'worker-2' }])
})
