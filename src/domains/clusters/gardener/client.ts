import { failureOf, type Clock, type Emitter, type Random } from '../../../kernel/index.ts'
import {
  applyFenced,
  at as placeOf,
  deleteFenced,
  errorOf,
  isAlreadyExists,
  isConflict,
  makeClient,
  patchFenced,
  type At,
  type Client,
  type KubeError,
  type ObjectFence,
  type Transport,
  type WatchEvents,
  type WatchTimings,
} from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { extraWorkers } from '../shoot/drift.ts'
import { withCompleted, type GardenerSettings } from '../shoot/wanted.ts'
import { catalogueOf } from './catalogue.ts'
import type { Catalogue, FencedWrite, Gardener, ProjectDraft } from './gardener.ts'
import { refusalOf } from './refusal.ts'
import { CloudProfiles, CredentialsBindings, Projects, Shoots, type Project } from './resources.ts'
import {
  CLUSTER_ID,
  CONFIRM_DELETION,
  FENCE,
  OPERATION_ID,
  ORGANIZATION_ID,
  type Shoot,
  type ShootDraft,
} from './shoot.ts'
import { keepRead, OF_CAELUS, shootWatch } from './watch.ts'

export interface GardenerOptions {
  readonly mode: Gardener['mode']
  /** To Gardener's API server. */
  readonly transport: Transport
  readonly settings: GardenerSettings
  readonly clock: Clock
  readonly emitter: Emitter<WatchEvents>
  readonly random?: Random
  readonly timings?: Partial<WatchTimings>
}

const FIELD_MANAGER = 'caelus-clusters'
const CATALOGUE_MS = 60_000
const API = '/apis/core.gardener.cloud/v1beta1'

/** The one client of Gardener, for both modes. `shoots` is started and stopped by the caller. */
export function openGardener(options: GardenerOptions): Gardener {
  const { mode, transport, settings, clock } = options
  const client = makeClient(transport, { fieldManager: FIELD_MANAGER })
  const shoots = shootWatch({ ...options, client })
  /** Namespaces of projects that were ready. They never change while the project exists. */
  const namespaces = new Map<string, string>()
  let profile: { readonly until: number; readonly read: Promise<Catalogue> } | undefined

  /** Says every failure in the words of clusters. */
  const told = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      throw refusalOf(error, settings)
    }
  }

  const fenceOf = ({ fence }: FencedWrite): ObjectFence => ({ key: FENCE, value: fence })

  async function ensureProject(draft: ProjectDraft, write: FencedWrite): Promise<string | undefined> {
    const known = settings.namespace ?? namespaces.get(draft.name)
    if (known !== undefined) return known
    const at = { name: draft.name }
    const found = (await client.get(Projects, at, write.signal)) ?? (await createProject(draft, write))
    const owner = found.metadata.labels?.[ORGANIZATION_ID]
    if (owner !== draft.organizationId)
      throw raise.ProjectTaken(`Project ${draft.name} belongs to ${owner ?? 'nobody'}, not to ${draft.organizationId}`)
    const namespace = found.spec?.namespace
    if (namespace === undefined || found.status?.phase !== 'Ready') return undefined
    await ensureCredentials(namespace, write)
    namespaces.set(draft.name, namespace)
    return namespace
  }

  async function createProject({ name, organizationId }: ProjectDraft, write: FencedWrite): Promise<Project> {
    const labels = { [ORGANIZATION_ID]: organizationId }
    const by = client.guardedBy(write.assertLeased)
    const { signal } = write
    try {
      return await by.create(
        Projects,
        { apiVersion: API.slice('/apis/'.length), kind: 'Project', metadata: { name, labels }, spec: {} },
        { signal },
      )
    } catch (error) {
      const found = isAlreadyExists(error) ? await client.get(Projects, { name }, signal) : undefined
      if (found === undefined) throw error
      return found
    }
  }

  /** Copies the binding of the operators into the namespace of a project. */
  async function ensureCredentials(namespace: string, { assertLeased, signal }: FencedWrite): Promise<void> {
    const { credentialsBindingName: name, credentialsFrom: from } = settings
    if (name === undefined || from === undefined || from === namespace) return
    if ((await client.get(CredentialsBindings, { namespace, name }, signal)) !== undefined) return
    const source = await client.get(CredentialsBindings, { namespace: from, name }, signal)
    if (source === undefined)
      throw raise.GardenerMisconfigured(
        `GARDENER_CREDENTIALS_BINDING_NAME names the CredentialsBinding ${from}/${name}, which does not exist`,
      )
    const { apiVersion, kind, provider, credentialsRef } = source
    const copy = { apiVersion, kind, metadata: { name, namespace }, ...(provider && { provider }), credentialsRef }
    await client
      .guardedBy(assertLeased)
      .create(CredentialsBindings, copy, { signal })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
      })
  }

  /**
   * All fields of the draft are ours. A field that somebody changed by an update is taken back: it was reported as drift
   * before. A field that another applier owns is left to it, because both would change it in turns.
   */
  async function applyOwned(by: Client, draft: ShootDraft, fence: ObjectFence, signal: AbortSignal): Promise<Shoot> {
    const prepare = (_: unknown, live: Shoot | undefined): ShootDraft => withCompleted(draft, ownOf(draft, live))
    try {
      return await applyFenced(by, Shoots, draft, fence, { signal, prepare })
    } catch (error) {
      if (!isConflict(error) || error.conflicts.length === 0) throw error
      if (await isWithAppliers(error, draft.metadata, signal)) throw error
      return await applyFenced(by, Shoots, draft, fence, { signal, prepare, force: true })
    }
  }

  async function isWithAppliers({ conflicts }: KubeError, at: At, signal: AbortSignal): Promise<boolean> {
    const live = await client.get(Shoots, at, signal)
    const appliers = (live?.metadata.managedFields ?? [])
      .filter(({ operation, manager }) => operation === 'Apply' && manager !== FIELD_MANAGER)
      .map(({ manager }) => manager)
    return conflicts.some(({ manager }) => appliers.includes(manager))
  }

  /** Server-side apply removes only what we have applied before. */
  async function dropExtraWorkers(by: Client, draft: ShootDraft, fence: ObjectFence, signal: AbortSignal) {
    const patch = (live: Shoot) => {
      const extra = new Set(extraWorkers(draft, live).map(({ name }) => name))
      if (extra.size === 0) return undefined
      const workers = live.spec.provider.workers?.filter(({ name }) => !extra.has(name))
      return { spec: { provider: { workers } } }
    }
    return patchFenced(by, Shoots, draft.metadata, patch, fence, { signal })
  }

  return {
    mode,
    shoots,
    ensureProject: (project, write) => told(() => ensureProject(project, write)),

    apply: (draft, write) =>
      told(async () => {
        const by = client.guardedBy(write.assertLeased)
        const fence = fenceOf(write)
        try {
          const applied = await applyOwned(by, draft, fence, write.signal)
          const trimmed =
            extraWorkers(draft, applied).length > 0 ? await dropExtraWorkers(by, draft, fence, write.signal) : undefined
          shoots.wrote(trimmed ?? applied)
          return trimmed ?? applied
        } catch (error) {
          const refusal = refusalOf(error, settings)
          if (failureOf(refusal).code === 'NamespacePending') forget(draft.metadata.namespace)
          throw refusal
        }
      }),

    dryRun: (draft, signal) =>
      told(async () => {
        const live = await client.get(Shoots, draft.metadata, signal)
        const asked = withCompleted(draft, ownOf(draft, live))
        return client.apply(Shoots, asked, { dryRun: true, force: true, signal })
      }),

    annotate: (at, annotations, write) =>
      told(async () => {
        const by = client.guardedBy(write.assertLeased)
        const id = annotations[OPERATION_ID]
        // A patch whose answer was lost is not repeated: it would ask for the operation again.
        const unlessAsked = ({ metadata }: Shoot) =>
          id !== undefined && metadata.annotations?.[OPERATION_ID] === id ? undefined : { metadata: { annotations } }
        const patched = await patchFenced(by, Shoots, at, unlessAsked, fenceOf(write), { signal: write.signal })
        if (patched !== undefined) shoots.wrote(patched)
        return patched !== undefined
      }),

    remove: (shoot, write) =>
      told(async () => {
        const { uid = '' } = shoot.metadata
        const at = { namespace: shoot.metadata.namespace ?? '', name: shoot.metadata.name }
        const by = client.guardedBy(write.assertLeased)
        const { signal } = write
        const confirm = ({ metadata }: Shoot) =>
          metadata.uid === uid ? { metadata: { annotations: { [CONFIRM_DELETION]: 'true' } } } : undefined
        const confirmed = await patchFenced(by, Shoots, at, confirm, fenceOf(write), { signal })
        if (confirmed === undefined) return false
        const { found, remaining } = await deleteFenced(by, Shoots, at, fenceOf(write), { uid, signal })
        shoots.removed(at, uid, remaining)
        return found
      }),

    find: (at, signal) => told(() => client.get(Shoots, at, signal)),

    list: (signal) =>
      told(async () => {
        const found = await client.list(Shoots, { labels: OF_CAELUS, ...inNamespace(settings) }, signal)
        return found.map(keepRead)
      }),

    async catalogue(signal) {
      signal.throwIfAborted()
      // Shared by all who ask at the same time, so that no signal of one of them ends it.
      if (profile === undefined || clock.elapsed() >= profile.until) {
        const read = told(() => readCatalogue())
        profile = { until: clock.elapsed() + CATALOGUE_MS, read }
        read.catch(() => (profile = undefined))
      }
      return profile.read
    },

    adminKubeconfig: (at, seconds, signal) =>
      told(async () => {
        const { status } = await client.createSubresource<AdminKubeconfig>(
          Shoots,
          at,
          'adminkubeconfig',
          {
            apiVersion: 'authentication.gardener.cloud/v1alpha1',
            kind: 'AdminKubeconfigRequest',
            spec: { expirationSeconds: seconds },
          },
          { signal },
        )
        return {
          kubeconfig: Buffer.from(status.kubeconfig, 'base64').toString('utf8'),
          expiresAt: Date.parse(status.expirationTimestamp),
        }
      }),

    ping: (signal) =>
      told(async () => {
        const response = await transport.send({ method: 'GET', path: API, signal })
        if (response.status >= 300) throw errorOf('reach the API of Gardener', response)
      }),
  }

  function forget(namespace: string): void {
    for (const [project, known] of namespaces) if (known === namespace) namespaces.delete(project)
  }

  async function readCatalogue(): Promise<Catalogue> {
    const name = settings.cloudProfile
    const found = await client.get(CloudProfiles, { name })
    if (found === undefined)
      throw raise.GardenerMisconfigured(`GARDENER_CLOUD_PROFILE names the CloudProfile ${name}, which does not exist`)
    return catalogueOf(found, clock.now())
  }
}

interface AdminKubeconfig {
  readonly status: { readonly kubeconfig: string; readonly expirationTimestamp: string }
}

export const inNamespace = ({ namespace }: Pick<GardenerSettings, 'namespace'>): { readonly namespace?: string } =>
  namespace === undefined ? {} : { namespace }

/** The live Shoot, if it is the one of this cluster and not on its way out. */
function ownOf(draft: ShootDraft, live: Shoot | undefined): Shoot | undefined {
  if (live === undefined) return undefined
  const { namespace = '', name } = placeOf(live)
  const [ours, theirs] = [draft.metadata.labels?.[CLUSTER_ID], live.metadata.labels?.[CLUSTER_ID]]
  // Only Caelus writes fences, and the name derives from the id of the cluster: somebody has removed the label.
  const isUnlabelled = theirs === undefined && live.metadata.annotations?.[FENCE] !== undefined
  if (theirs !== ours && !isUnlabelled)
    throw raise.ShootTaken(
      `Shoot ${namespace}/${name} exists and belongs to ${theirs === undefined ? 'no cluster of Caelus' : `cluster ${theirs}`}`,
    )
  if (live.metadata.deletionTimestamp !== undefined)
    throw raise.ShootTerminating(`Shoot ${namespace}/${name} is being deleted since ${live.metadata.deletionTimestamp}`)
  return live
}
