import { describe, expect, it } from 'vitest'
import { clusterKey } from '../../src/domains/clusters/queue.ts'
import type { ClusterEvent, ClusterRows, SyncPatch } from '../../src/domains/clusters/rows.ts'
import type { ShootSummary } from '../../src/domains/clusters/types.ts'
import type { Claim, Failure, Queue } from '../../src/kernel/index.ts'

export interface ClusterRowsUnderTest extends AsyncDisposable {
  readonly rows: ClusterRows
  readonly queue: Queue
  /** A new cluster, with its wake. Answers with its id. */
  order(): Promise<string>
  /** A member changes it. */
  change(id: string): Promise<void>
  /** A member deletes it. */
  remove(id: string): Promise<void>
  /** All leases end now. */
  lapse(): Promise<void>
  /** The history of a cluster, the oldest first. */
  events(id: string): Promise<readonly ClusterEvent[]>
}

const SHOOT: ShootSummary = {
  namespace: 'garden-p1',
  name: 'c1',
  uid: 'u1',
  kubernetesVersion: '1.34.3',
  isHibernated: false,
  operation: { type: 'Create', state: 'Processing', progress: 10, description: 'at it', updatedAt: 1_700_000_000_000 },
  conditions: [{ type: 'APIServerAvailable', status: 'True', reason: 'r', message: 'm', since: null }],
  errors: [{ description: 'no', codes: ['ERR_INFRA_QUOTA_EXCEEDED'] }],
  rotation: { certificateAuthorities: 'Prepared' },
}

const FAILURE: Failure = {
  code: 'ShootRefused',
  message: 'failed to write the Shoot: no',
  whoseMove: 'user',
  retryable: true,
  nextStep: 'Change it.',
}

/** What the worker relies on, for the rows in PostgreSQL and for their fake. */
export function exerciseClusterRows(name: string, make: () => Promise<ClusterRowsUnderTest>): void {
  const claimed = async ({ queue }: ClusterRowsUnderTest, id: string): Promise<Claim> => {
    const [claim] = await queue.claim('worker', 1)
    expect(claim?.key).toEqual(clusterKey(id))
    return claim!
  }
  const finished = async (stage: ClusterRowsUnderTest, id: string): Promise<void> => {
    const claim = await claimed(stage, id)
    await stage.queue.finish(claim, { then: 'forget' })
  }
  const status = async ({ rows }: ClusterRowsUnderTest, id: string) => (await rows.load(id))?.sync.status

  describe(`${name} is ClusterRows`, () => {
    it('an order wakes its key for its organization in the same transaction, and loads with node pools', async () => {
      await using stage = await make()
      const id = await stage.order()
      const { tenant } = await claimed(stage, id)
      const loaded = await stage.rows.load(id)
      expect(loaded?.sync).toMatchObject({
        generation: 1,
        syncedGeneration: 0,
        syncedAt: null,
        status: 'pending',
        shoot: null,
      })
      expect(loaded?.cluster.nodePools.length).toBeGreaterThan(0)
      expect(tenant).toBe(loaded?.cluster.organizationId)
    })

    it('every change of a member bumps the generation and wakes it again, also during a run', async () => {
      await using stage = await make()
      const id = await stage.order()
      const claim = await claimed(stage, id)
      await stage.change(id)
      expect((await stage.rows.load(id))?.sync.generation).toBe(2)
      await stage.queue.finish(claim, { then: 'forget' })
      await finished(stage, id)
      await stage.remove(id)
      expect((await stage.rows.load(id))?.sync.generation).toBe(3)
      expect((await stage.rows.load(id))?.cluster.deletedAt).not.toBeNull()
      await finished(stage, id)
    })

    it('the holder of the lease writes only what it names, with its history', async () => {
      await using stage = await make()
      const id = await stage.order()
      const { fence } = await claimed(stage, id)
      const patch: SyncPatch = {
        failure: FAILURE,
        attempts: 2,
        lastAttemptAt: 1_700_000_000_000,
        status: 'error',
        statusMessage: 'no quota',
        statusFailure: FAILURE,
        statusChangedAt: 1_700_000_001_000,
        shoot: SHOOT,
        retries: 1,
        closedOperation: 'op1',
      }
      const events: ClusterEvent[] = [
        { type: 'sync_claimed', message: 'a', attempt: 1 },
        { type: 'status_error', message: 'b' },
      ]
      expect(await stage.rows.write(id, fence, patch, events)).toBe(true)
      expect((await stage.rows.load(id))?.sync).toMatchObject(patch)
      expect(await stage.rows.write(id, fence, { failure: null, statusFailure: null, shoot: null }, [])).toBe(true)
      expect((await stage.rows.load(id))?.sync).toMatchObject({
        ...patch,
        failure: null,
        statusFailure: null,
        shoot: null,
      })
      const history = await stage.events(id)
      expect(history.filter(({ type }) => type !== 'sync_requested')).toEqual(events)
    })

    it('completes the generation that was written, and not one that came after it', async () => {
      await using stage = await make()
      const id = await stage.order()
      const { fence } = await claimed(stage, id)
      const at = 1_700_000_000_000
      await stage.rows.write(id, fence, { syncedGeneration: 1, syncedAt: at }, [])
      expect((await stage.rows.load(id))?.sync).toMatchObject({ generation: 1, syncedGeneration: 1, syncedAt: at })
      await stage.change(id)
      expect((await stage.rows.load(id))?.sync).toMatchObject({ generation: 2, syncedGeneration: 1, syncedAt: null })
      await stage.rows.write(id, fence, { syncedGeneration: 1, syncedAt: at }, [])
      expect((await stage.rows.load(id))?.sync).toMatchObject({ generation: 2, syncedGeneration: 1, syncedAt: null })
    })

    it('a worker whose lease has passed on, or whose key is finished, writes neither state nor history', async () => {
      await using stage = await make()
      const id = await stage.order()
      const zombie = await claimed(stage, id)
      await stage.lapse()
      const heir = await claimed(stage, id)
      const before = await stage.events(id)
      expect(
        await stage.rows.write(id, zombie.fence, { status: 'ready' }, [{ type: 'status_ready', message: '' }]),
      ).toBe(false)
      expect(await stage.rows.write(id, heir.fence, { status: 'progressing' }, [])).toBe(true)
      await stage.queue.finish(heir, { then: 'forget' })
      expect(await stage.rows.write(id, heir.fence, { status: 'ready' }, [])).toBe(false)
      expect(await status(stage, id)).toBe('progressing')
      expect(await stage.events(id)).toEqual(before)
    })

    it('lists and counts what may have a Shoot: also what is deleted, until it is gone', async () => {
      await using stage = await make()
      const ids = [await stage.order(), await stage.order(), await stage.order()].toSorted()
      const [first = '', second = '', third = ''] = ids
      await stage.remove(second)
      const pageOf = async (after: string | undefined, limit: number): Promise<string[]> =>
        (await stage.rows.page(after, limit)).map(({ cluster }) => cluster.id)
      expect(await pageOf(undefined, 2)).toEqual([first, second])
      expect(await pageOf(second, 2)).toEqual([third])
      expect([...(await stage.rows.living([...ids, '00000000-0000-4000-8000-000000000000']))].toSorted()).toEqual(ids)
      expect(await stage.rows.count()).toEqual({ living: 3, all: 3 })
      const own = (await stage.rows.load(first))?.cluster.organizationId ?? ''
      expect([...(await stage.rows.organizations([own, '00000000-0000-4000-8000-000000000000', 'none']))]).toEqual([
        own,
      ])
      const claims = await stage.queue.claim('worker', 3)
      const claim = claims.find(({ key }) => key.id === second)
      expect(await stage.rows.write(second, claim?.fence ?? 0, { status: 'deleted' }, [])).toBe(true)
      expect(await pageOf(undefined, 3)).toEqual([first, third])
      expect([...(await stage.rows.living(ids))].toSorted()).toEqual([first, third])
      expect(await stage.rows.count()).toEqual({ living: 2, all: 3 })
      expect(
        [...(await stage.rows.known([...ids, '00000000-0000-4000-8000-000000000000', 'none']))].toSorted(),
      ).toEqual(ids)
    })

    it('answers undefined for what is not there', async () => {
      await using stage = await make()
      expect(await stage.rows.load('00000000-0000-4000-8000-000000000000')).toBeUndefined()
      expect(await stage.rows.write('00000000-0000-4000-8000-000000000000', 1, { attempts: 1 }, [])).toBe(false)
    })

    it('tells that a watch is current, again and again', async () => {
      await using stage = await make()
      await stage.rows.seen('worker-1')
      await expect(stage.rows.seen('worker-1')).resolves.toBeUndefined()
    })
  })
}
