import { expect, test } from 'vitest'
import type { VerifiedRelease } from '../../../src/domains/apps/drift/verified-releases.ts'
import { NO_DRIFT } from '../../../src/domains/apps/observed.ts'
import { verifiedReleaseStore } from '../../../src/domains/apps/store/index.ts'
import type { Claim } from '../../../src/kernel/index.ts'
import { asUser } from '../../../src/store/index.ts'
import { appsWorld, newCluster, type AppsWorld } from './world.ts'

const LOOK: VerifiedRelease = {
  digest: 'd',
  kinds: ['apps/v1/Deployment', 'v1/Service'],
  fingerprint: 'f',
  seen: {
    namespace: { is: 'active' },
    release: { is: 'deployed', revision: 1, claims: ['data'], updatedAt: 1_700_000_000_001, digest: 'd' },
    health: { is: 'ready' },
    drift: {
      ...NO_DRIFT,
      handedOver: [{ object: 'Deployment/web', path: 'spec.replicas', owner: 'autoscaler (Update)' }],
    },
  },
  at: 1_700_000_000_123,
}

async function claimed(w: AppsWorld, worker = 'w'): Promise<Claim> {
  const [claim] = await w.queue.claim(worker, 1)
  if (claim === undefined) throw new Error('nothing was due')
  return claim
}

/** A deployment with a lease on it. */
async function leased(w: AppsWorld, name = 'Hello', clusterId?: string) {
  const { template } = await w.product(name)
  const input = { userId: w.ann.userId, templateId: template.id, domainname: `${name.toLowerCase()}.example.org` }
  const { id } = await w.apps.createDeployment(w.ann, { ...input, ...(clusterId && { clusterId }) })
  const claim = await claimed(w)
  return { id, fence: claim.fence, claim }
}

const workerLooks = (w: AppsWorld) => verifiedReleaseStore(w.database.openPool({ role: 'caelus_worker' }))

test('the holder of the lease keeps a look, another in its place, and drops it', async () => {
  await using w = await appsWorld()
  const { id, fence } = await leased(w)
  const verified = workerLooks(w)
  expect(await verified.find(id)).toBeUndefined()
  await verified.keep(id, fence, LOOK)
  expect(await verified.find(id)).toEqual(LOOK)
  const other = { ...LOOK, digest: 'e', kinds: ['v1/Secret'], fingerprint: 'g', at: LOOK.at + 1 }
  await verified.keep(id, fence, other)
  expect(await verified.find(id)).toEqual(other)
  await verified.drop(id, fence)
  expect(await verified.find(id)).toBeUndefined()
})

test('a worker whose lease has passed on neither keeps nor drops', async () => {
  await using w = await appsWorld()
  const { id, fence: zombie } = await leased(w)
  const verified = workerLooks(w)
  await w.database.pool.query(`update caelus.job set lease_until = now() - interval '1 second'`)
  const heir = await claimed(w, 'heir')
  await verified.keep(id, zombie, LOOK)
  expect(await verified.find(id)).toBeUndefined()
  await verified.keep(id, heir.fence, LOOK)
  await verified.keep(id, zombie, { ...LOOK, fingerprint: 'g' })
  await verified.drop(id, zombie)
  expect(await verified.find(id)).toEqual(LOOK)
  await w.queue.finish(heir, { then: 'forget' })
  await verified.drop(id, heir.fence)
  expect(await verified.find(id)).toEqual(LOOK)
})

test('the kinds of all that is kept in one place are told once each, and to no other place', async () => {
  await using w = await appsWorld()
  const [one, two] = [await leased(w, 'One'), await leased(w, 'Two')]
  const verified = workerLooks(w)
  expect(await verified.kinds(null)).toEqual([])
  await verified.keep(one.id, one.fence, LOOK)
  await verified.keep(two.id, two.fence, { ...LOOK, kinds: ['v1/Secret', 'v1/Service'] })
  const [cluster, other] = [await newCluster(w, w.ann), await newCluster(w, w.ann)]
  const three = await leased(w, 'Three', cluster)
  await verified.keep(three.id, three.fence, { ...LOOK, kinds: ['example.com/v1/Own', 'v1/Service'] })
  expect(await verified.kinds(null)).toEqual(['apps/v1/Deployment', 'v1/Secret', 'v1/Service'])
  expect(await verified.kinds(cluster)).toEqual(['example.com/v1/Own', 'v1/Service'])
  expect(await verified.kinds(other)).toEqual([])
})

test('a look goes with its deployment', async () => {
  await using w = await appsWorld()
  const { id, fence } = await leased(w)
  const verified = workerLooks(w)
  await verified.keep(id, fence, LOOK)
  await w.database.pool.query('delete from caelus.deployment where id = $1', [id])
  expect(await verified.find(id)).toBeUndefined()
})

test('nobody but workers has to do with looks', async () => {
  await using w = await appsWorld()
  const { id, fence } = await leased(w)
  await workerLooks(w).keep(id, fence, LOOK)
  for (const statement of ['select from caelus.deployment_look', 'delete from caelus.deployment_look']) {
    await expect(asUser(w.database.pool, w.admin, (tx) => tx.query(statement))).rejects.toThrow('permission denied')
  }
})
