import { describe, expect, it } from 'vitest'
import { seededRandom, systemClock } from '../../../kernel/index.ts'
import { FakeKubernetes } from '../../../kube/fake/index.ts'
import { discovery, makeClient, Secret, type Client } from '../../../kube/index.ts'
import { releases } from './releases.ts'
import { digestIn, digestLabels, releaseSecret } from './storage.ts'

const target = { namespace: 'shop', release: 'web' }
const DIGEST = '0123456789abcdef'.repeat(4)

const stored = (version: number, status: string) => ({
  name: 'web',
  namespace: 'shop',
  version,
  manifest: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n',
  info: { status, description: '', last_deployed: '2026-01-02T03:04:05Z' },
})

async function scene(...records: (readonly [version: number, status: string])[]) {
  const cluster = new FakeKubernetes({ clock: systemClock, random: seededRandom(1), namespaces: ['shop'] })
  const transport = cluster.transport()
  const client = makeClient(transport, { fieldManager: 'test' })
  for (const [version, status] of records) {
    await client.create(Secret, await releaseSecret(target, stored(version, status), digestLabels(DIGEST)))
  }
  return { cluster, client, of: (through: Client = client) => releases(through, discovery(transport)) }
}

describe('the newest record', () => {
  it('is the one with the highest number, not the last name', async () => {
    const { of } = await scene([9, 'superseded'], [10, 'deployed'], [2, 'superseded'])
    expect(await of().newest(target)).toMatchObject({
      revision: 10,
      status: 'deployed',
      digest: DIGEST,
      updatedAt: Date.parse('2026-01-02T03:04:05Z'),
      objects: [{ kind: 'ConfigMap', metadata: { namespace: 'shop' } }],
    })
  })

  it('is looked for again when it was pruned meanwhile', async () => {
    const { client, of } = await scene([1, 'superseded'], [2, 'deployed'])
    let reads = 0
    const pruning: Client = {
      ...client,
      async get(resource, at, signal) {
        if (++reads === 1) await client.delete(Secret, at)
        return client.get(resource, at, signal)
      },
    }
    expect(await of(pruning).newest(target)).toMatchObject({ revision: 1 })
  })

  it('is not looked for in a list without an end', async () => {
    const { client, of } = await scene([1, 'deployed'])
    let pages = 0
    const endless: Client = {
      ...client,
      async listPage(resource, options, signal) {
        if (++pages > 100) throw new Error('too many pages were read')
        return {
          ...(await client.listPage(resource, { ...options, continueToken: '' }, signal)),
          continueToken: 'more',
        }
      },
    }
    await expect(of(endless).newest(target)).rejects.toThrow('namespace shop has more than 2000 records of it')
    expect(pages).toBe(20)
  })

  it('is nothing where there is none, and of others no digest is made up', async () => {
    const { of, client } = await scene()
    expect(await of().newest(target)).toBeUndefined()
    await client.create(Secret, await releaseSecret(target, stored(1, 'deployed'), {}))
    expect(await of().newest(target)).not.toHaveProperty('digest')
  })

  it.each([
    ['pending-install', { pending: 'install' }],
    ['pending-rollback', { pending: 'rollback' }],
    ['uninstalling', 'uninstalling'],
    ['unknown', 'failed'],
  ])('in status %s is %j', async (status, seen) => {
    const { of } = await scene([1, status])
    expect((await of().newest(target))?.status).toEqual(seen)
  })
})

describe('marking as failed', () => {
  it('changes payload and label, and keeps everything else', async () => {
    const { client, of } = await scene([1, 'pending-upgrade'])
    await of().markFailed(target, 1)
    expect(await of().newest(target)).toMatchObject({
      status: 'failed',
      digest: DIGEST,
      objects: [{ kind: 'ConfigMap' }],
    })
    expect(await client.list(Secret, { namespace: 'shop', labels: 'owner=helm,status=failed' })).toHaveLength(1)
  })

  it('does not overwrite what somebody else wrote meanwhile', async () => {
    const { client, of } = await scene([1, 'pending-upgrade'])
    const raced: Client = {
      ...client,
      async get(resource, at, signal) {
        const seen = await client.get(resource, at, signal)
        await client.patch(Secret, at, { merge: { metadata: { labels: { status: 'deployed' } } } })
        return seen
      },
    }
    await expect(of(raced).markFailed(target, 1)).rejects.toMatchObject({ failure: { code: 'KubeConflict' } })
  })

  it('writes nothing where nothing is locked', async () => {
    const { cluster, of } = await scene([1, 'deployed'])
    const before = cluster.version
    await of().markFailed(target, 1)
    await of().markFailed(target, 2)
    expect(cluster.version).toBe(before)
  })
})

it('a digest fits into labels and comes back whole', async () => {
  const labels = digestLabels(DIGEST)
  expect(Object.values(labels).every((value) => value.length <= 63)).toBe(true)
  expect(digestIn(await releaseSecret(target, stored(1, 'deployed'), labels))).toBe(DIGEST)
})
