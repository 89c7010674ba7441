import { describe, expect, it } from 'vitest'
import { deploymentKey } from '../../src/domains/apps/queue.ts'
import type { DeploymentRows } from '../../src/domains/apps/rows.ts'
import type { Claim, Queue } from '../../src/kernel/index.ts'

export interface RowsUnderTest extends AsyncDisposable {
  readonly rows: DeploymentRows
  readonly queue: Queue
  /** A new deployment, with its wake. Answers with its id. @default on the platform's own control plane */
  order(clusterId?: string): Promise<string>
  /** A new cluster that deployments can be ordered into. */
  cluster(): Promise<string>
  /** The user deletes it. */
  remove(id: string): Promise<void>
  /** All leases end now. */
  lapse(): Promise<void>
}

/** What the worker relies on, for the rows in PostgreSQL and for their fake. */
export function exerciseDeploymentRows(name: string, make: () => Promise<RowsUnderTest>): void {
  const claimed = async ({ queue }: RowsUnderTest, id: string): Promise<Claim> => {
    const [claim] = await queue.claim('worker', 1)
    expect(claim?.key).toEqual(deploymentKey(id))
    return claim!
  }

  describe(`${name} is DeploymentRows`, () => {
    it('an order wakes its key in the same transaction, and loads with owner and template', async () => {
      await using stage = await make()
      const id = await stage.order()
      await claimed(stage, id)
      const loaded = await stage.rows.load(id)
      expect(loaded?.deployment).toMatchObject({ id, generation: 1, observedGeneration: 0, status: 'pending' })
      expect(loaded?.template.id).toBe(loaded?.deployment.desiredTemplateId)
      expect(loaded?.owner.id).toBe(loaded?.deployment.userId)
    })

    it('the holder of the lease writes only the columns it names', async () => {
      await using stage = await make()
      const id = await stage.order()
      const { fence } = await claimed(stage, id)
      expect(await stage.rows.write(id, fence, { status: 'ready', observedGeneration: 1 })).toBe(true)
      expect(await stage.rows.write(id, fence, { lastReconcileAt: 1_700_000_000_000 })).toBe(true)
      expect((await stage.rows.load(id))?.deployment).toMatchObject({
        status: 'ready',
        observedGeneration: 1,
        lastReconcileAt: 1_700_000_000_000,
      })
    })

    it('a worker whose lease has passed on, or whose key is finished, writes nothing', async () => {
      await using stage = await make()
      const id = await stage.order()
      const zombie = await claimed(stage, id)
      await stage.lapse()
      const heir = await claimed(stage, id)
      expect(await stage.rows.write(id, zombie.fence, { status: 'ready' })).toBe(false)
      expect(await stage.rows.write(id, heir.fence, { status: 'provisioning' })).toBe(true)
      await stage.queue.finish(heir, { then: 'forget' })
      expect(await stage.rows.write(id, heir.fence, { status: 'ready' })).toBe(false)
      expect((await stage.rows.load(id))?.deployment.status).toBe('provisioning')
    })

    it('a deployment that is being deleted never becomes anything better', async () => {
      await using stage = await make()
      const id = await stage.order()
      const { fence } = await claimed(stage, id)
      await stage.remove(id)
      expect(await stage.rows.write(id, fence, { status: 'upgrading' })).toBe(true)
      expect((await stage.rows.load(id))?.deployment.status).toBe('deleting')
      expect(await stage.rows.write(id, fence, { status: 'error' })).toBe(true)
      expect((await stage.rows.load(id))?.deployment.status).toBe('error')
    })

    it('lists what is not deleted by id, page by page', async () => {
      await using stage = await make()
      const ids = [await stage.order(), await stage.order(), await stage.order()].toSorted()
      const page = await stage.rows.living(undefined, 2)
      expect(page.map(({ id }) => id)).toEqual(ids.slice(0, 2))
      expect((await stage.rows.living(ids[1], 2)).map(({ id }) => id)).toEqual(ids.slice(2))
    })

    it('finds by id what is in one place alone, deleted or not', async () => {
      await using stage = await make()
      const [one, other] = [await stage.cluster(), await stage.cluster()]
      const places = [null, one, other]
      const ids: string[] = []
      for (const place of places) ids.push(await stage.order(...(place === null ? [] : [place])))
      for (const [at, place] of places.entries()) {
        const found = await stage.rows.findIn(place, ids)
        const { userId, namespaceName } = (await stage.rows.load(ids[at]!))!.deployment
        expect(found).toEqual([{ id: ids[at], userId, namespaceName, isDeleted: false }])
      }
      const id = ids[1]!
      await stage.remove(id)
      expect(await stage.rows.findIn(one, [id])).toMatchObject([{ id, isDeleted: false }])
      let claim: Claim | undefined
      do [claim] = await stage.queue.claim('worker', 1)
      while (claim !== undefined && claim.key.id !== id)
      expect(await stage.rows.write(id, claim?.fence ?? 0, { status: 'deleted' })).toBe(true)
      expect(await stage.rows.findIn(one, [id, id])).toMatchObject([{ id, isDeleted: true }])
      expect(await stage.rows.findIn(other, [id])).toEqual([])
    })

    it('finds nothing by texts that are no ids', async () => {
      await using stage = await make()
      const id = await stage.order()
      const texts = ['', 'foo', '\0', 'a\0b', '\ud800', `{${id}}`, ` ${id}`, '00000000-0000-4000-8000-000000000000']
      expect(await stage.rows.findIn(null, texts)).toEqual([])
      expect(await stage.rows.findIn(null, [...texts, id])).toMatchObject([{ id }])
      expect(await stage.rows.findIn(null, [])).toEqual([])
    })

    it('answers undefined for what is not there', async () => {
      await using stage = await make()
      expect(await stage.rows.load('00000000-0000-4000-8000-000000000000')).toBeUndefined()
    })
  })
}
