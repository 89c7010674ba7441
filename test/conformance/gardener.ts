import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { Catalogue, FencedWrite, Gardener } from '../../src/domains/clusters/gardener/gardener.ts'
import { Projects, Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import {
  CONFIRM_DELETION,
  OPERATION_ID,
  type Shoot,
  type ShootDraft,
} from '../../src/domains/clusters/gardener/shoot.ts'
import type { Gardenlet } from '../../src/domains/clusters/gardener/stand-in/gardenlet.ts'
import { driftOf, driftText } from '../../src/domains/clusters/shoot/drift.ts'
import { projectFor, wantedShoot, type GardenerSettings } from '../../src/domains/clusters/shoot/wanted.ts'
import type { Cluster } from '../../src/domains/clusters/types.ts'
import { failureOf } from '../../src/kernel/index.ts'
import { at as placeOf, type Client } from '../../src/kube/index.ts'
import { UNDISTURBED } from '../clusters/undisturbed.ts'

export interface GardenerUnderTest {
  readonly gardener: Gardener
  readonly settings: GardenerSettings
  /** May do everything in the garden, as somebody else. */
  readonly operator: Client
  readonly gardenlet: Pick<Gardenlet, 'fail' | 'degrade' | 'heal'>
  readonly close: () => Promise<void>
}

const windowUntil = (end: string) => ({ begin: '220000+0000', end, updateKubernetes: true, updateMachineImage: true })

/** Ends what hangs. */
const PATIENCE_MS = 30_000

const write = (fence = 1): FencedWrite => ({
  fence,
  assertLeased: () => {},
  signal: AbortSignal.timeout(PATIENCE_MS),
})

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    (error: unknown) => ({ ...failureOf(error), refused: (error as { refused?: unknown }).refused }),
  )

/** Of a project whose namespace or credentials Gardener has not seen yet. */
const NOT_YET: ReadonlySet<string> = new Set(['NamespacePending', 'GardenerMisconfigured'])

/** What we rely on of Gardener, each as a sentence. Where the mock and Gardener differ, Gardener is right. */
export function exerciseGardener(name: string, make: () => Promise<GardenerUnderTest>): void {
  describe(`${name} behaves like Gardener`, () => {
    const open: GardenerUnderTest[] = []
    afterEach(async () => {
      for (const world of open.splice(0)) await world.close()
    })

    async function fresh() {
      const world = await make()
      open.push(world)
      const { gardener, settings, operator } = world
      const offer = await gardener.catalogue(AbortSignal.timeout(PATIENCE_MS))
      const cluster = order(offer)
      const project = { name: projectFor(cluster.organizationId, settings), organizationId: cluster.organizationId }
      const namespace = async (): Promise<string> => {
        const ready = () => gardener.ensureProject(project, write())
        // Gardener sees the namespace and the credentials in it a little later than they can be read.
        const admission = async (): Promise<string> => {
          const where = await ready()
          if (where === undefined) return 'no namespace'
          const signal = AbortSignal.timeout(PATIENCE_MS)
          const isAdmitted = await gardener.dryRun(wantedShoot(cluster, settings, where), signal).then(
            () => true,
            (error: unknown) => !NOT_YET.has(failureOf(error).code),
          )
          return isAdmitted ? 'it is there' : 'not admitted yet'
        }
        await expect.poll(admission, { timeout: PATIENCE_MS, interval: 20 }).toBe('it is there')
        return (await ready()) ?? ''
      }
      const draft = (where: string, change: Partial<Cluster> = {}): ShootDraft =>
        wantedShoot({ ...cluster, ...change }, settings, where)
      const applied = async (change: Partial<Cluster> = {}, fence = 1): Promise<Shoot> =>
        gardener.apply(draft(await namespace(), change), write(fence))
      return {
        ...world,
        offer,
        cluster,
        project,
        namespace,
        draft,
        applied,
        live: async (shoot: Pick<Shoot, 'metadata'>) => operator.get(Shoots, placeOf(shoot as Shoot)),
        /** Others may still write the Shoot: then it is tried again. */
        changesNothing: (asked: ShootDraft, fence: number) => {
          const versions = async () => {
            const before = await operator.get(Shoots, placeOf(asked as unknown as Shoot))
            const after = await gardener.apply(asked, write(fence))
            return [before, after].map((one) => one?.metadata.resourceVersion)
          }
          const isSame = async () => new Set(await versions()).size === 1
          return expect.poll(isSame, { timeout: PATIENCE_MS, interval: 100 }).toBe(true)
        },
        seen: (is: (shoot: Shoot | undefined) => boolean) => seen(gardener, cluster.id, is),
        ready: async () => {
          await applied()
          return seen(gardener, cluster.id, isReady)
        },
      }
    }

    it('answers', async () => {
      const { gardener } = await fresh()
      await gardener.ping(AbortSignal.timeout(PATIENCE_MS))
    })

    it('offers regions, versions, machine types and images', async () => {
      const { offer } = await fresh()
      expect(offer.regions.length).toBeGreaterThan(1)
      expect(offer.versions.map(({ version }) => version)).toContain(newest(offer))
      expect(offer.machineTypes.find(({ isUsable }) => isUsable)).toMatchObject({
        cpu: expect.stringMatching(/^\d/) as unknown,
      })
      expect(offer.machineImages[0]?.versions.length).toBeGreaterThan(0)
    })

    it('makes the namespace of a project later, and only one project for an organization', async () => {
      const { gardener, project, namespace } = await fresh()
      expect(await gardener.ensureProject(project, write())).toBeUndefined()
      expect(await namespace()).toContain(project.name)
      expect(await gardener.ensureProject(project, write())).toBe(await namespace())
    })

    it('refuses the project of another organization', async () => {
      const { gardener, project, operator } = await fresh()
      await operator.create(Projects, {
        apiVersion: 'core.gardener.cloud/v1beta1',
        kind: 'Project',
        metadata: { name: project.name, labels: { 'fundament.io/organization-id': 'another' } },
        spec: {},
      })
      expect(await failure(gardener.ensureProject(project, write()))).toMatchObject({ code: 'ProjectTaken' })
    })

    it('creates a Shoot, and applying it again changes nothing', async () => {
      const { applied, draft, changesNothing } = await fresh()
      const created = await applied()
      expect(created.metadata.annotations?.['caelus.io/fence']).toBe('1')
      await changesNothing(draft(created.metadata.namespace ?? ''), 1)
    })

    it('completes what was not stated, which is no drift', async () => {
      const { applied, draft, cluster } = await fresh()
      const minor = cluster.kubernetesVersion.split('.').slice(0, 2).join('.')
      const created = await applied({ kubernetesVersion: minor })
      expect(created.spec.kubernetes.version).toMatch(new RegExp(`^${minor.replace('.', '\\.')}\\.\\d+$`))
      expect(created.spec.provider.workers?.[0]?.machine.image?.version).toBeDefined()
      expect(driftOf(draft(created.metadata.namespace ?? '', { kubernetesVersion: minor }), created)).toEqual([])
    })

    it('changes what is ordered anew, and counts it as a generation', async () => {
      const { gardener, ready, draft, cluster } = await fresh()
      const created = (await ready()) as Shoot
      const nodePools = cluster.nodePools.map((pool) => ({ ...pool, autoscaleMax: 7 }))
      const changed = await gardener.apply(draft(created.metadata.namespace ?? '', { nodePools }), write(2))
      expect(changed.spec.provider.workers?.[0]?.maximum).toBe(7)
      expect(changed.metadata.generation).toBe((created.metadata.generation ?? 0) + 1)
      expect(changed.metadata.annotations?.['caelus.io/fence']).toBe('2')
    })

    it('shows at once in the watch what was written', async () => {
      const { gardener, applied, cluster } = await fresh()
      const created = await applied()
      expect(gardener.shoots.ofCluster(cluster.id)?.metadata.uid).toBe(created.metadata.uid)
    })

    it('shows and repairs what somebody else has changed', async () => {
      const { gardener, applied, draft, operator, seen: until, live, changesNothing } = await fresh()
      const created = await applied()
      const [worker] = created.spec.provider.workers ?? []
      const workers = [
        { ...worker, maximum: 9 },
        { ...worker, name: 'extra' },
      ]
      await operator.patch(Shoots, placeOf(created), { merge: { spec: { provider: { workers } } } })
      const wanted = draft(created.metadata.namespace ?? '')
      const drifted = await until((shoot) => shoot !== undefined && driftOf(wanted, shoot).length === 2)
      expect(drifted && driftOf(wanted, drifted).map(({ path }) => path)).toEqual([
        'spec.provider.workers[name=default].maximum',
        'spec.provider.workers[name=extra]',
      ])
      const repaired = await gardener.apply(wanted, write(2))
      expect(driftOf(wanted, repaired).map(driftText)).toEqual([])
      expect(driftOf(wanted, (await live(created)) as Shoot).map(driftText)).toEqual([])
      await changesNothing(wanted, 2)
    })

    it('leaves a field to somebody who applies it too', async () => {
      const { gardener, applied, draft, operator } = await fresh()
      const created = await applied()
      const { apiVersion, kind, spec } = created
      const [worker] = spec.provider.workers ?? []
      const theirs = {
        apiVersion,
        kind,
        metadata: placeOf(created),
        spec: { provider: { workers: [{ name: worker?.name, maximum: 9 }] } },
      }
      await operator.apply(Shoots, theirs as unknown as ShootDraft, { force: true, fieldManager: 'gitops' })
      expect(await failure(gardener.apply(draft(created.metadata.namespace ?? ''), write(2)))).toMatchObject({
        code: 'KubeFieldConflict',
        message: expect.stringContaining('gitops') as unknown,
      })
    })

    it('refuses every write of a worker whose fence is older', async () => {
      const { gardener, applied, draft, live } = await fresh()
      const created = await applied({}, 5)
      const before = await live(created)
      const stale = { code: 'ClusterStaleFence' }
      const at = placeOf(created)
      expect(await failure(gardener.apply(draft(at.namespace ?? ''), write(4)))).toMatchObject(stale)
      expect(await failure(gardener.annotate(created, { 'caelus.io/operation': 'x' }, write(4)))).toMatchObject(stale)
      expect(await failure(gardener.remove(created, write(4)))).toMatchObject(stale)
      expect((await live(created))?.metadata.annotations).toEqual(before?.metadata.annotations)
    })

    it('sends nothing for a worker whose lease has passed', async () => {
      const { gardener, namespace, draft } = await fresh()
      const where = await namespace()
      const assertLeased = () => {
        throw new Error('the lease has passed')
      }
      await expect(gardener.apply(draft(where), { ...write(), assertLeased })).rejects.toThrow('the lease has passed')
      expect(await gardener.find(draft(where).metadata, AbortSignal.timeout(PATIENCE_MS))).toBeUndefined()
    })

    it('refuses a Shoot of another cluster', async () => {
      const { gardener, applied, draft, live } = await fresh()
      const created = await applied()
      const { metadata, ...rest } = draft(created.metadata.namespace ?? '')
      const theirs = {
        ...rest,
        metadata: { ...metadata, labels: { ...metadata.labels, 'fundament.io/cluster-id': 'other' } },
      }
      expect(await failure(gardener.apply(theirs, write(2)))).toMatchObject({ code: 'ShootTaken' })
      expect((await live(created))?.metadata.resourceVersion).toBeDefined()
    })

    it('refuses a Shoot that no cluster has made', async () => {
      const { gardener, namespace, draft, operator, live } = await fresh()
      const { metadata, ...rest } = draft(await namespace())
      const theirs = await operator.create(Shoots, {
        ...rest,
        metadata: { name: metadata.name, namespace: metadata.namespace },
      })
      expect(await failure(gardener.apply({ ...rest, metadata }, write()))).toMatchObject({ code: 'ShootTaken' })
      expect(Object.keys((await live(theirs))?.metadata.labels ?? {})).not.toContain('fundament.io/cluster-id')
    })

    it('finds its Shoot again when somebody has removed the label', async () => {
      const { gardener, applied, draft, operator, cluster } = await fresh()
      const created = await applied()
      const labels = { 'fundament.io/cluster-id': null }
      await operator.patch(Shoots, placeOf(created), { merge: { metadata: { labels } } })
      await seen(gardener, cluster.id, (shoot) => shoot === undefined)
      const again = await gardener.apply(draft(created.metadata.namespace ?? ''), write(2))
      expect(again.metadata).toMatchObject({
        uid: created.metadata.uid,
        labels: { 'fundament.io/cluster-id': cluster.id },
      })
      await seen(gardener, cluster.id, (shoot) => shoot !== undefined)
    })

    it('writes nothing in a dry run, and completes versions', async () => {
      const { gardener, namespace, draft, cluster } = await fresh()
      const where = await namespace()
      const minor = cluster.kubernetesVersion.split('.').slice(0, 2).join('.')
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const would = await gardener.dryRun(draft(where, { kubernetesVersion: minor }), signal)
      expect(would.spec.kubernetes.version.split('.')).toHaveLength(3)
      expect(await gardener.find(placeOf(would), signal)).toBeUndefined()
    })

    describe('its admission', () => {
      const pool = (change: object) => (offer: Catalogue) => ({
        nodePools: order(offer).nodePools.map((one) => ({ ...one, ...change })),
      })
      const usable = (offer: Catalogue) => offer.machineTypes.slice(0, 1).map(({ name: type }) => type)

      it.each<[string, (offer: Catalogue) => Partial<Cluster>, string, (offer: Catalogue) => readonly string[]]>([
        ['an unknown region', () => ({ region: 'mars' }), 'region', ({ regions }) => regions],
        [
          'a maintenance window of ten minutes',
          () => ({ maintenance: windowUntil('221000+0000') }),
          'maintenance',
          () => [],
        ],
        [
          'a maintenance window of seven hours',
          () => ({ maintenance: windowUntil('050000+0000') }),
          'maintenance',
          () => [],
        ],
        [
          'an unknown version',
          () => ({ kubernetesVersion: '1.20.0' }),
          'kubernetes_version',
          (offer) => [newest(offer)],
        ],
        ['a minor that is not offered', () => ({ kubernetesVersion: '1.20' }), 'kubernetes_version', () => []],
        [
          'an expired version',
          ({ versions }) => ({
            kubernetesVersion: versions.find(({ classification }) => classification === 'expired')?.version ?? '1.32.9',
          }),
          'kubernetes_version',
          (offer) => [newest(offer)],
        ],
        [
          'a machine type that is not usable',
          (offer) => pool({ machineType: offer.machineTypes.find(({ isUsable }) => !isUsable)?.name ?? 'none' })(offer),
          'node_pools[0].machine_type',
          usable,
        ],
        ['no node pool', () => ({ nodePools: [] }), 'node_pools', () => []],
        ['no node at all', pool({ autoscaleMin: 0, autoscaleMax: 0 }), 'node_pools', () => []],
        ['fewer nodes than none', pool({ autoscaleMin: -1 }), 'node_pools[0].autoscale_min', () => []],
        ['an unknown machine type', pool({ machineType: 'huge' }), 'node_pools[0].machine_type', usable],
        [
          'more nodes at least than at most',
          pool({ autoscaleMin: 5, autoscaleMax: 2 }),
          'node_pools[0].autoscale_max',
          () => [],
        ],
      ])('refuses %s by the name of the field', async (_, change, field, supported) => {
        const { gardener, namespace, draft, offer } = await fresh()
        const asked = draft(await namespace(), change(offer))
        const refusal = await failure(gardener.dryRun(asked, AbortSignal.timeout(PATIENCE_MS)))
        expect(refusal).toMatchObject({
          code: 'ShootRefused',
          whoseMove: 'user',
          refused: [{ field, supported: expect.arrayContaining([...supported(offer)]) as unknown }],
        })
        expect(await failure(gardener.apply(asked, write()))).toMatchObject({ code: 'ShootRefused' })
      })

      it.each(['223000+0000', '040000+0000', '003000+0100'])(
        'accepts a maintenance window from 22:00 to %s',
        async (end) => {
          const { gardener, namespace, draft } = await fresh()
          const asked = draft(await namespace(), { maintenance: windowUntil(end) })
          const { spec } = await gardener.dryRun(asked, AbortSignal.timeout(PATIENCE_MS))
          expect(spec.maintenance?.timeWindow).toEqual({ begin: '220000+0000', end })
        },
      )

      it('checks a Shoot in the namespace of the operators while there is no project', async () => {
        const { gardener, draft } = await fresh()
        const signal = AbortSignal.timeout(PATIENCE_MS)
        const would = await gardener.dryRun(draft('garden'), signal)
        expect(await gardener.find(placeOf(would), signal)).toBeUndefined()
        expect(await failure(gardener.dryRun(draft('garden', { region: 'mars' }), signal))).toMatchObject({
          refused: [{ field: 'region' }],
        })
      })

      it('tells all problems at once', async () => {
        const { gardener, namespace, draft, offer } = await fresh()
        const asked = draft(await namespace(), { region: 'mars', ...pool({ machineType: 'huge' })(offer) })
        expect(await failure(gardener.dryRun(asked, AbortSignal.timeout(PATIENCE_MS)))).toMatchObject({
          refused: [
            { field: 'region', value: 'mars' },
            { field: 'node_pools[0].machine_type', value: 'huge' },
          ],
        })
      })

      it.each<[string, (draft: ShootDraft) => ShootDraft, string]>([
        [
          'an unknown CloudProfile',
          (draft) => ({ ...draft, spec: { ...draft.spec, cloudProfile: { kind: 'CloudProfile', name: 'nope' } } }),
          'GARDENER_CLOUD_PROFILE',
        ],
        [
          'a missing CredentialsBinding',
          (draft) => ({ ...draft, spec: { ...draft.spec, credentialsBindingName: 'nope' } }),
          'GARDENER_CREDENTIALS_BINDING_NAME',
        ],
        [
          'a name beyond the budget',
          (draft) => ({ ...draft, metadata: { ...draft.metadata, name: `${draft.metadata.name}x` } }),
          'GARDENER_MAX_SHOOT_NAME_LEN',
        ],
      ])('calls %s a matter of the operator', async (_, change, setting) => {
        const { gardener, namespace, draft } = await fresh()
        const asked = change(draft(await namespace()))
        expect(await failure(gardener.dryRun(asked, AbortSignal.timeout(PATIENCE_MS)))).toMatchObject({
          code: 'GardenerMisconfigured',
          whoseMove: 'operator',
          message: expect.stringContaining(setting) as unknown,
        })
      })

      it('waits for a namespace that is not there', async () => {
        const { gardener, draft } = await fresh()
        expect(await failure(gardener.apply(draft('garden-nowhere'), write()))).toMatchObject({
          code: 'NamespacePending',
        })
      })

      it('refuses to move a cluster to another region', async () => {
        const { gardener, applied, draft, offer } = await fresh()
        const { metadata } = await applied()
        const asked = draft(metadata.namespace ?? '', { region: offer.regions[1] ?? '' })
        expect(await failure(gardener.apply(asked, write(2)))).toMatchObject({
          code: 'ShootRefused',
          refused: [{ field: 'region' }],
        })
      })

      it('refuses to skip a minor', async () => {
        const { gardener, applied, draft, offer } = await fresh()
        const oldest = offer.versions.filter(({ classification }) => classification !== 'expired').at(-1)?.version ?? ''
        const { metadata } = await applied({ kubernetesVersion: oldest })
        const asked = draft(metadata.namespace ?? '', { kubernetesVersion: newest(offer) })
        expect(await failure(gardener.apply(asked, write(2)))).toMatchObject({
          code: 'ShootRefused',
          refused: [{ field: 'kubernetes_version' }],
        })
      })

      it('upgrades by one minor, and is never asked for less', async () => {
        const { gardener, applied, draft, offer, cluster } = await fresh()
        const { metadata } = await applied()
        const where = metadata.namespace ?? ''
        const upgraded = await gardener.apply(draft(where, { kubernetesVersion: newest(offer) }), write(2))
        expect(upgraded.spec.kubernetes.version).toBe(newest(offer))
        const kept = await gardener.apply(draft(where, { kubernetesVersion: cluster.kubernetesVersion }), write(3))
        expect(kept.spec.kubernetes.version).toBe(newest(offer))
      })
    })

    describe('the life of a Shoot', () => {
      it('is seen by the watch, with progress, until it is ready', async () => {
        const { gardener, applied, cluster } = await fresh()
        const told: [string, number][] = []
        gardener.shoots.onChange((id) => {
          const last = id === cluster.id ? gardener.shoots.ofCluster(id)?.status?.lastOperation : undefined
          if (last !== undefined) told.push([last.state, last.progress])
        })
        await applied()
        const ready = await seen(gardener, cluster.id, isReady)
        expect(ready?.metadata.finalizers).toContain('gardener')
        expect(ready?.status).toMatchObject({ lastOperation: { type: 'Create', progress: 100 }, hibernated: false })
        expect(ready?.status?.technicalID).toMatch(/^shoot--/)
        expect(told.some(([state, progress]) => state === 'Processing' && progress > 0 && progress < 100)).toBe(true)
        expect(told.map(([, progress]) => progress)).toEqual(
          told.map(([, progress]) => progress).toSorted((a, b) => a - b),
        )
      })

      it('runs into an error that Gardener retries, and heals', async () => {
        const { gardenlet, ready, seen: until, gardener, cluster, draft } = await fresh()
        const shoot = await ready()
        const at = placeOf(shoot as Shoot)
        await gardenlet.fail(at, { description: 'no machines', codes: ['ERR_INFRA_RESOURCES_DEPLETED'] })
        const nodePools = cluster.nodePools.map((one) => ({ ...one, autoscaleMax: 5 }))
        await gardener.apply(draft(at.namespace ?? '', { nodePools }), write(2))
        const broken = await until(isIn('Error'))
        expect(broken?.status?.lastErrors).toMatchObject([
          { description: 'no machines', codes: ['ERR_INFRA_RESOURCES_DEPLETED'] },
        ])
        await gardenlet.heal(at)
        const healed = await until(isReady)
        expect(healed?.status?.lastErrors ?? []).toEqual([])
      })

      it('fails for good until it is retried', async () => {
        const { gardenlet, ready, seen: until, gardener, cluster, draft } = await fresh()
        const shoot = (await ready()) as Shoot
        const at = placeOf(shoot)
        await gardenlet.fail(at, {
          description: 'bad credentials',
          codes: ['ERR_INFRA_UNAUTHENTICATED'],
        })
        const nodePools = cluster.nodePools.map((one) => ({ ...one, autoscaleMax: 5 }))
        await gardener.apply(draft(at.namespace ?? '', { nodePools }), write(2))
        const failed = await until(isIn('Failed'))
        await gardenlet.heal(at)
        expect(await gardener.annotate(shoot, { 'gardener.cloud/operation': 'retry' }, write(2))).toBe(true)
        const retried = await until(isReady)
        expect(retried?.metadata.generation).toBeGreaterThan(failed?.metadata.generation ?? 0)
        expect(retried?.metadata.annotations?.['gardener.cloud/operation']).toBeUndefined()
      })

      it('is asked for an operation once, also when the answer was lost', async () => {
        const { gardener, ready, live } = await fresh()
        const shoot = (await ready()) as Shoot
        const asked = { 'gardener.cloud/operation': 'reconcile', [OPERATION_ID]: 'first' }
        const generation = async () => (await live(shoot))?.metadata.generation
        expect(await gardener.annotate(shoot, asked, write(2))).toBe(true)
        expect(await generation()).toBe((shoot.metadata.generation ?? 0) + 1)
        expect(await gardener.annotate(shoot, asked, write(2))).toBe(false)
        expect(await generation()).toBe((shoot.metadata.generation ?? 0) + 1)
      })

      it('is asked for nothing in the place of another', async () => {
        const { gardener, ready, live } = await fresh()
        const shoot = (await ready()) as Shoot
        const former = { metadata: { ...shoot.metadata, uid: '00000000-0000-4000-8000-000000000000' } }
        const asked = { 'gardener.cloud/operation': 'reconcile', [OPERATION_ID]: 'first' }
        expect(await gardener.annotate(former, asked, write(2))).toBe(false)
        expect((await live(shoot))?.metadata.generation).toBe(shoot.metadata.generation)
        expect(Object.keys((await live(shoot))?.metadata.annotations ?? {})).not.toContain(OPERATION_ID)
      })

      it('degrades after it was ready', async () => {
        const { gardenlet, ready, seen: until } = await fresh()
        const at = placeOf((await ready()) as Shoot)
        await gardenlet.degrade(at, { type: 'ControlPlaneHealthy', message: 'etcd is down' })
        const degraded = await until(
          (one) => one?.status?.conditions?.some(({ status }) => status === 'False') === true,
        )
        expect(degraded?.status?.conditions?.find(({ status }) => status === 'False')).toMatchObject({
          type: 'ControlPlaneHealthy',
          message: 'etcd is down',
        })
        await gardenlet.heal(at)
        await until(isReady)
      })

      it('hibernates and wakes up', async () => {
        const { gardener, ready, draft, seen: until } = await fresh()
        const { metadata } = (await ready()) as Shoot
        const where = metadata.namespace ?? ''
        await gardener.apply(draft(where, { isHibernated: true }), write(2))
        await until((one) => one?.status?.hibernated === true && isReady(one))
        await gardener.apply(draft(where), write(3))
        await until((one) => one?.status?.hibernated === false && isReady(one))
      })

      it('rotates credentials in two steps', async () => {
        const { gardener, ready, seen: until } = await fresh()
        const rotating = (await ready()) as Shoot
        const phase = (shoot: Shoot | undefined) =>
          shoot?.status?.credentials?.rotation?.['certificateAuthorities']?.phase
        const ask = (operation: string) =>
          gardener.annotate(rotating, { 'gardener.cloud/operation': operation }, write(2))
        expect(await failure(ask('rotate-credentials-complete'))).toMatchObject({
          code: 'ShootRefused',
          refused: expect.arrayContaining([expect.objectContaining({ field: 'operation' })]) as unknown,
        })
        await ask('rotate-credentials-start')
        await until((shoot) => phase(shoot) === 'Prepared' && isReady(shoot))
        await ask('rotate-credentials-complete')
        const rotated = await until((shoot) => phase(shoot) === 'Completed' && isReady(shoot))
        expect(rotated?.metadata.annotations?.['gardener.cloud/operation']).toBeUndefined()
      })

      it('ends with a confirmed deletion', async () => {
        const { gardener, ready, seen: until, operator, draft, live } = await fresh()
        const shoot = (await ready()) as Shoot
        await expect(operator.delete(Shoots, placeOf(shoot))).rejects.toMatchObject({ status: 403 })
        expect(await gardener.remove(shoot, write(2))).toBe(true)
        const going = await live(shoot)
        expect(going === undefined || going.metadata.deletionTimestamp !== undefined).toBe(true)
        const again = await failure(gardener.apply(draft(shoot.metadata.namespace ?? ''), write(2)))
        if (going !== undefined) expect(again).toMatchObject({ code: 'ShootTerminating' })
        await until((one) => one === undefined)
        expect(await gardener.find(placeOf(shoot), AbortSignal.timeout(PATIENCE_MS))).toBeUndefined()
        expect(await gardener.remove(shoot, write(2))).toBe(false)
      })

      it('does not end for a Shoot that took the place of another', async () => {
        const { gardener, ready, live } = await fresh()
        const shoot = (await ready()) as Shoot
        const former = { metadata: { ...shoot.metadata, uid: '00000000-0000-4000-8000-000000000000' } }
        expect(await gardener.remove(former, write(2))).toBe(false)
        expect((await live(shoot))?.metadata).toMatchObject({ uid: shoot.metadata.uid })
        expect((await live(shoot))?.metadata.deletionTimestamp).toBeUndefined()
        expect(Object.keys((await live(shoot))?.metadata.annotations ?? {})).not.toContain(CONFIRM_DELETION)
      })
    })

    it('lists the Shoots of Caelus', async () => {
      const { gardener, applied } = await fresh()
      const created = await applied()
      const listed = await gardener.list(AbortSignal.timeout(PATIENCE_MS))
      expect(listed.map(({ metadata }) => metadata.uid)).toContain(created.metadata.uid)
    })

    it('gives out no kubeconfig before the API server of the cluster has an address', async () => {
      const { gardener, applied } = await fresh()
      const at = placeOf(await applied())
      const asked = gardener.adminKubeconfig(at, 3600, AbortSignal.timeout(PATIENCE_MS))
      expect(await failure(asked)).toMatchObject({ code: 'ClusterNotReady' })
    })

    it('gives out a kubeconfig that ends', async () => {
      const { gardener, ready } = await fresh()
      const at = placeOf((await ready()) as Shoot)
      const { kubeconfig, expiresAt } = await gardener.adminKubeconfig(at, 3600, AbortSignal.timeout(PATIENCE_MS))
      expect(kubeconfig).toContain('clusters')
      expect(expiresAt - Date.now()).toBeGreaterThan(3_000_000)
      expect(expiresAt - Date.now()).toBeLessThan(3_700_000)
    })
  })
}

/** A cluster of an organization of its own, on the second newest minor that is offered. */
function order(offer: Catalogue): Cluster {
  const [, second] = minors(offer)
  return {
    id: randomUUID(),
    organizationId: randomUUID(),
    name: 'shop',
    region: offer.regions[0] ?? '',
    kubernetesVersion: second ?? '',
    isHibernated: false,
    maintenance: UNDISTURBED,
    operation: null,
    nodePools: [
      { id: 'p', name: 'default', machineType: offer.machineTypes[0]?.name ?? '', autoscaleMin: 1, autoscaleMax: 3 },
    ],
    createdAt: 0,
    deletedAt: null,
  }
}

/** The newest supported version of each minor, newest first. */
const minors = ({ versions }: Catalogue): string[] =>
  versions
    .filter(({ classification }) => classification === 'supported')
    .map(({ version }) => version)
    .toSorted((a, b) => Number(b.split('.')[1]) - Number(a.split('.')[1]))

const newest = (offer: Catalogue): string => minors(offer)[0] ?? ''

/** Whether the last operation has ended like this for what is ordered now. */
const isIn =
  (state: string) =>
  (shoot: Shoot | undefined): boolean =>
    shoot?.status?.lastOperation?.state === state && shoot.status.observedGeneration === shoot.metadata.generation

function isReady(shoot: Shoot | undefined): boolean {
  const { lastOperation, observedGeneration, conditions = [] } = shoot?.status ?? {}
  return (
    lastOperation?.state === 'Succeeded' &&
    observedGeneration === shoot?.metadata.generation &&
    conditions.length > 0 &&
    conditions.every(({ status }) => status === 'True')
  )
}

/** Waits until the watch shows the Shoot of a cluster as described. */
function seen({ shoots }: Gardener, id: string, is: (shoot: Shoot | undefined) => boolean): Promise<Shoot | undefined> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      const shoot = shoots.ofCluster(id)
      if (!is(shoot)) return
      stop()
      clearTimeout(deadline)
      resolve(shoot)
    }
    const stop = shoots.onChange((changed) => {
      if (changed === id) check()
    })
    const deadline = setTimeout(() => {
      stop()
      reject(new Error(`the watch last showed ${JSON.stringify(shoots.ofCluster(id)?.status)}`))
    }, PATIENCE_MS)
    check()
  })
}
