import { afterEach, describe, expect, it as holds } from 'vitest'
import type { Chart, Charts, Helm, ChartLocation, Releases, Rollout } from '../../src/domains/apps/helm/index.ts'
import { ConfigMap, Deployment, Secret, type Client } from '../../src/kube/index.ts'

export interface HelmUnderTest {
  readonly charts: Charts
  readonly helm: Helm
  readonly releases: Releases
  readonly client: Client
  readonly namespace: string
  /** Where the chart `web` is. */
  readonly web: ChartLocation
  /** Lets Helm die by force while `call` is under way, once it `hasBegun`; resolves when both are over. */
  readonly killDuring: (call: () => Promise<unknown>, hasBegun: () => Promise<boolean>) => Promise<void>
  readonly close?: () => Promise<void>
}

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
/** Short enough to wait for a hook that never ends. */
const TIMEOUT_MS = 3_000
/** Ends what hangs. */
const PATIENCE_MS = 30_000

/**
 * What we rely on of Helm, each as a sentence. Where two differ, the real one is right.
 *
 * `differs`: the sentences that are known not to hold, with the reason. One that holds after all fails.
 */
export function exerciseHelm(
  name: string,
  make: () => Promise<HelmUnderTest>,
  differs: Readonly<Record<string, string>> = {},
): void {
  describe(`${name} behaves like Helm`, () => {
    const sentences = new Set<string>()
    const it = (sentence: string, work: () => Promise<void>): void => {
      sentences.add(sentence)
      const why = differs[sentence]
      if (why === undefined) holds(sentence, work)
      else holds.fails(`not that it ${sentence}: ${why}`, work)
    }
    const open: HelmUnderTest[] = []
    const fresh = async () => {
      const world = await make()
      open.push(world)
      const chart = await world.charts.fetch(world.web)
      return { ...world, ...scene(world, chart) }
    }
    afterEach(async () => {
      for (const world of open.splice(0)) await world.close?.()
    })
    holds('differs in nothing but what the suite has a sentence for', () =>
      expect(Object.keys(differs).filter((sentence) => !sentences.has(sentence))).toEqual([]),
    )

    it('renders without touching anything', async () => {
      const { helm, target, chart, client, namespace, releases } = await fresh()
      const objects = await helm.render(target, chart, { user: { message: 'hi' }, extra: true })
      expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`).toSorted()).toEqual([
        'ConfigMap/extra',
        'ConfigMap/web',
        'Deployment/web',
      ])
      expect(objects.every(({ metadata }) => metadata.namespace === namespace)).toBe(true)
      expect(await releases.newest(target)).toBeUndefined()
      expect(await client.get(ConfigMap, { namespace, name: 'web' })).toBeUndefined()
    })

    it('installs what it renders, as manager helm and marked as its own', async () => {
      const { helm, target, chart, rollout, live, releases } = await fresh()
      const applied = await helm.install(target, rollout({ values: { user: { message: 'a "b"\n{{ c }}' } } }))
      expect(applied.revision).toBe(1)
      const { data, metadata } = await live('web')
      expect(data).toEqual({ message: 'a "b"\n{{ c }}' })
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'Helm' })
      expect(metadata.annotations).toMatchObject({ 'meta.helm.sh/release-name': target.release })
      expect(metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([['helm', 'Apply']])
      const record = await releases.newest(target)
      expect(record).toMatchObject({ revision: 1, status: 'deployed', digest: A })
      expect(applied.objects).toEqual(record?.objects)
      expect(record?.objects).toEqual(await helm.render(target, chart, { user: { message: 'a "b"\n{{ c }}' } }))
    })

    it('records objects that the server takes as no change at all', async () => {
      const { helm, target, rollout, client, releases, live } = await fresh()
      await helm.install(target, rollout())
      const before = await live('web')
      const object = (await releases.newest(target))?.objects.find(({ kind }) => kind === 'ConfigMap')
      expect(object).toBeDefined()
      if (object !== undefined) await client.apply(ConfigMap, object as typeof before, { fieldManager: 'helm' })
      expect((await live('web')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    })

    it('does not install over a release', async () => {
      const { helm, target, rollout } = await fresh()
      await helm.install(target, rollout())
      await expect(helm.install(target, rollout())).rejects.toMatchObject({ failure: { code: 'ReleasePending' } })
    })

    it('upgrades: what the new values no longer have goes, and earlier values are forgotten', async () => {
      const { helm, target, rollout, client, namespace, live, releases } = await fresh()
      await helm.install(target, rollout({ values: { extra: true, user: { message: 'one' } } }))
      const { revision, objects } = await helm.upgrade(target, rollout({ values: { replicas: 2 }, digest: B }))
      expect(revision).toBe(2)
      expect(objects.map(({ kind }) => kind).toSorted()).toEqual(['ConfigMap', 'Deployment'])
      expect((await live('web')).data).toEqual({ message: 'hello' })
      expect(await client.get(ConfigMap, { namespace, name: 'extra' })).toBeUndefined()
      expect(await releases.newest(target)).toMatchObject({ revision: 2, status: 'deployed', digest: B })
    })

    it('keeps what is annotated to be kept when an upgrade drops it', async () => {
      const { helm, target, rollout, client, namespace } = await fresh()
      await helm.install(target, rollout({ values: { extra: true } }))
      const keep = { merge: { metadata: { annotations: { 'helm.sh/resource-policy': 'keep' } } } }
      await client.patch(ConfigMap, { namespace, name: 'extra' }, keep)
      await helm.upgrade(target, rollout())
      expect(await client.get(ConfigMap, { namespace, name: 'extra' })).toBeDefined()
    })

    it('does not upgrade what is not there', async () => {
      const { helm, target, rollout } = await fresh()
      await expect(helm.upgrade(target, rollout())).rejects.toMatchObject({ failure: { code: 'HelmFailed' } })
    })

    it('does not wait for anything but its hooks', async () => {
      const { helm, target, rollout, client, namespace, releases } = await fresh()
      await helm.install(target, rollout({ values: { replicas: 3 } }))
      expect(await releases.newest(target)).toMatchObject({ revision: 1, status: 'deployed', digest: A })
      expect((await client.get(Deployment, { namespace, name: 'web' }))?.spec).toMatchObject({ replicas: 3 })
    })

    it('leaves an install whose hook fails as it is, and upgrades it later', async () => {
      const { helm, target, rollout, live, releases } = await fresh()
      const install = helm.install(target, rollout({ values: { hook: true } }))
      await expect(install).rejects.toMatchObject({ failure: { code: 'HookFailed' } })
      await live('web')
      expect(await releases.newest(target)).toMatchObject({ revision: 1, status: 'failed', digest: A })
      expect(await helm.upgrade(target, rollout({ digest: B }))).toMatchObject({ revision: 2 })
      expect(await releases.newest(target)).toMatchObject({ revision: 2, status: 'deployed', digest: B })
    })

    it('leaves an upgrade whose hook fails as it is, and rolls it back with the digest of before', async () => {
      const { helm, target, rollout, live, releases } = await fresh()
      await helm.install(target, rollout({ values: { user: { message: 'one' } } }))
      const values = { hook: true, extra: true, user: { message: 'two' } }
      const upgrade = helm.upgrade(target, rollout({ values, digest: B }))
      await expect(upgrade).rejects.toMatchObject({ failure: { code: 'HookFailed' } })
      expect((await live('web')).data).toEqual({ message: 'two' })
      expect(await releases.newest(target)).toMatchObject({ revision: 2, status: 'failed', digest: B })
      const before = await releases.deployedBefore(target, { revision: 2, digest: A })
      expect(before).toMatchObject({ revision: 1, digest: A })
      await helm.rollBack(target, { revision: 1, timeoutMs: PATIENCE_MS })
      expect((await live('web')).data).toEqual({ message: 'one' })
      await expect(live('extra')).rejects.toThrow('to be there')
      expect(await releases.newest(target)).toMatchObject({ revision: 3, status: 'deployed', digest: A })
      expect(await releases.deployedBefore(target, { revision: 2, digest: B })).toBeUndefined()
    })

    it('rolls back over fields that another manager holds', async () => {
      const { helm, target, rollout, client, namespace } = await fresh()
      await helm.install(target, rollout())
      await helm.upgrade(target, rollout({ values: { replicas: 2 }, digest: B }))
      await client.apply(Deployment, scaled(namespace), { fieldManager: 'autoscaler', force: true })
      await helm.rollBack(target, { revision: 1, timeoutMs: PATIENCE_MS })
      expect((await client.get(Deployment, { namespace, name: 'web' }))?.spec).toMatchObject({ replicas: 1 })
    })

    it('is stopped by fields that another manager holds, unless they are handed over', async () => {
      const { helm, target, rollout, client, namespace, releases } = await fresh()
      await helm.install(target, rollout())
      await client.apply(Deployment, scaled(namespace), { fieldManager: 'autoscaler', force: true })
      const conflicting = helm.upgrade(target, rollout({ values: { replicas: 2 }, digest: B }))
      await expect(conflicting).rejects.toMatchObject({ failure: { code: 'OwnershipConflict' } })
      const handOver = [{ object: 'Deployment/web', path: 'spec.replicas', owner: 'autoscaler' }]
      await helm.upgrade(target, rollout({ values: { replicas: 2 }, digest: B, handOver }))
      expect((await client.get(Deployment, { namespace, name: 'web' }))?.spec).toMatchObject({ replicas: 5 })
      const recorded = (await releases.newest(target))?.objects.find(({ kind }) => kind === 'Deployment')
      expect(recorded).not.toHaveProperty('spec.replicas')
    })

    it('takes fields over that another manager holds where it is told to', async () => {
      const { helm, target, rollout, client, namespace } = await fresh()
      await helm.install(target, rollout())
      await client.apply(Deployment, scaled(namespace), { fieldManager: 'autoscaler', force: true })
      await helm.upgrade(target, rollout({ values: { replicas: 2 }, digest: B, force: true }))
      expect((await client.get(Deployment, { namespace, name: 'web' }))?.spec).toMatchObject({ replicas: 2 })
    })

    it('does not take over what is not its own', async () => {
      const { helm, target, rollout, client, namespace } = await fresh()
      const mine = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name: 'web' },
        data: { mine: 'yes' },
      } as const
      await client.create(ConfigMap, mine)
      const install = helm.install(target, rollout())
      await expect(install).rejects.toMatchObject({ failure: { code: 'ObjectTaken' } })
      expect((await client.get(ConfigMap, { namespace, name: 'web' }))?.data).toEqual({ mine: 'yes' })
    })

    for (const verb of ['install', 'upgrade'] as const) {
      it(`leaves an ${verb} pending when it is killed; marked as failed, the next upgrade mends it`, async () => {
        const { helm, target, rollout, live, releases, killDuring, isApplied } = await fresh()
        if (verb === 'upgrade') await helm.install(target, rollout())
        const slow = rollout({ values: { hook: true, replicas: 3 }, timeoutMs: 60_000 })
        await killDuring(() => helm[verb](target, slow), isApplied)
        const left = await releases.newest(target)
        expect(left?.status).toEqual({ pending: verb })
        const upgrade = () => helm.upgrade(target, rollout({ values: { user: { message: 'mended' } }, digest: B }))
        await expect(upgrade()).rejects.toMatchObject({ failure: { code: 'ReleasePending' } })
        await releases.markFailed(target, left?.revision ?? 0)
        expect(await releases.newest(target)).toMatchObject({ revision: left?.revision, status: 'failed' })
        await upgrade()
        expect((await live('web')).data).toEqual({ message: 'mended' })
        expect(await releases.newest(target)).toMatchObject({ status: 'deployed', digest: B })
      })
    }

    it('marks as failed only what is locked', async () => {
      const { helm, target, rollout, releases } = await fresh()
      await releases.markFailed(target, 1)
      await helm.install(target, rollout())
      await releases.markFailed(target, 1)
      expect(await releases.newest(target)).toMatchObject({ status: 'deployed' })
    })

    it('stops when it is told to, and says why', async () => {
      const { helm, target, rollout, live, releases } = await fresh()
      const stop = new AbortController()
      const install = helm.install(target, rollout({ values: { hook: true }, timeoutMs: 3_600_000 }), stop.signal)
      const ended = expect(install).rejects.toThrow('the lease is gone')
      await expect.poll(() => live('web')).toBeDefined()
      stop.abort(new Error('the lease is gone'))
      await ended
      expect(['failed', { pending: 'install' }]).toContainEqual((await releases.newest(target))?.status)
    })

    it('uninstalls everything of its own and its records, once', async () => {
      const { helm, target, rollout, client, namespace } = await fresh()
      await helm.install(target, rollout())
      await helm.upgrade(target, rollout({ digest: B }))
      const options = { hooks: true, timeoutMs: PATIENCE_MS }
      expect(await helm.uninstall(target, options)).toBe(true)
      expect(await client.get(ConfigMap, { namespace, name: 'web' })).toBeUndefined()
      expect(await client.list(Secret, { namespace, labels: 'owner=helm' })).toEqual([])
      expect(await helm.uninstall(target, options)).toBe(false)
    })

    it('takes only the word of the chart for what an uninstall keeps', async () => {
      const { helm, target, rollout, client, namespace } = await fresh()
      await helm.install(target, rollout({ values: { extra: true } }))
      const keep = { merge: { metadata: { annotations: { 'helm.sh/resource-policy': 'keep' } } } }
      await client.patch(ConfigMap, { namespace, name: 'extra' }, keep)
      await helm.uninstall(target, { hooks: true, timeoutMs: PATIENCE_MS })
      expect(await client.get(ConfigMap, { namespace, name: 'extra' })).toBeUndefined()
    })

    it('uninstalls a release that a kill left pending', async () => {
      const { helm, target, rollout, releases, killDuring, isApplied } = await fresh()
      const slow = rollout({ values: { hook: true, replicas: 3 }, timeoutMs: 60_000 })
      await killDuring(() => helm.install(target, slow), isApplied)
      expect(await helm.uninstall(target, { hooks: false, timeoutMs: PATIENCE_MS })).toBe(true)
      expect(await releases.newest(target)).toBeUndefined()
    })

    it('keeps a bounded history', async () => {
      const { helm, target, rollout, client, namespace } = await fresh()
      await helm.install(target, rollout())
      for (let revision = 2; revision <= 12; revision++) {
        const values = { user: { message: `${revision}` } }
        expect(await helm.upgrade(target, rollout({ values }))).toMatchObject({ revision })
      }
      expect(await client.list(Secret, { namespace, labels: 'owner=helm' })).toHaveLength(10)
    })

    it('acts as whom it is told to', async () => {
      const { helm, target, rollout, releases } = await fresh()
      const stranger = { ...target, as: { user: 'stranger', groups: ['nobody'] } }
      await expect(helm.install(stranger, rollout())).rejects.toMatchObject({ failure: { code: 'HelmForbidden' } })
      expect(await releases.newest(target)).toBeUndefined()
      await helm.install({ ...target, as: { user: 'anybody', groups: ['system:masters'] } }, rollout())
    })
  })
}

const scaled = (namespace: string) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name: 'web' },
    spec: { replicas: 5 },
  }) as never

function scene({ client, namespace }: HelmUnderTest, chart: Chart) {
  return {
    chart,
    target: { namespace, release: 'web' },
    rollout: (over: Partial<Rollout> = {}): Rollout => ({
      chart,
      values: {},
      digest: A,
      timeoutMs: over.values?.['hook'] === true ? TIMEOUT_MS : PATIENCE_MS,
      handOver: [],
      ...over,
    }),
    /** Whether all but the hook has reached the cluster. */
    isApplied: async () => (await client.get(Deployment, { namespace, name: 'web' }))?.spec?.replicas === 3,
    live: async (name: string) => {
      const found = await client.get(ConfigMap, { namespace, name })
      if (found === undefined) throw new Error(`expected ConfigMap ${name} to be there`)
      return found
    },
  }
}
