import { failureOf, type Clock, type Emitter, type Random } from '../../../kernel/index.ts'
import {
  deleteFenced,
  errorOf,
  makeClient,
  patchFenced,
  type ObjectFence,
  type Transport,
  type WatchEvents,
  type WatchTimings,
} from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { withCompleted, type GardenerSettings } from '../shoot/wanted.ts'
import { applyShoot, FIELD_MANAGER, ownOf } from './apply.ts'
import { catalogueOf } from './catalogue.ts'
import type { Catalogue, FencedWrite, Gardener } from './gardener.ts'
import { gardenProjects } from './projects.ts'
import { refusalOf } from './refusal.ts'
import { CloudProfiles, Shoots } from './resources.ts'
import { CONFIRM_DELETION, FENCE, GARDENER_OPERATION, OPERATION_ID, type Shoot } from './shoot.ts'
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

const CATALOGUE_MS = 60_000
/** Somebody may have removed the namespace of the project, or the binding in it: both are looked for again. */
const IN_PROJECT: ReadonlySet<string> = new Set(['NamespacePending', 'GardenerMisconfigured'])
const API = '/apis/core.gardener.cloud/v1beta1'

/** The one client of Gardener, for both modes. `shoots` is started and stopped by the caller. */
export function openGardener(options: GardenerOptions): Gardener {
  const { mode, transport, settings, clock } = options
  const client = makeClient(transport, { fieldManager: FIELD_MANAGER })
  const shoots = shootWatch({ ...options, client })
  const projects = gardenProjects(client, settings)
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

  return {
    mode,
    shoots,
    ensureProject: (project, write) => told(() => projects.ensure(project, write)),

    apply: (draft, write) =>
      told(async () => {
        const by = client.guardedBy(write.assertLeased)
        try {
          // Also of a Shoot that exists: the settings may name another binding than when its project was made.
          await projects.ensureCredentials(draft.metadata.namespace, write)
          const applied = await applyShoot({ by, draft, fence: fenceOf(write), signal: write.signal })
          shoots.wrote(applied)
          return applied
        } catch (error) {
          const refusal = refusalOf(error, settings)
          if (IN_PROJECT.has(failureOf(refusal).code)) projects.forget(draft.metadata.namespace)
          throw refusal
        }
      }),

    dryRun: (draft, signal) =>
      told(async () => {
        const live = await client.get(Shoots, draft.metadata, signal)
        const asked = withCompleted(draft, ownOf(draft, live))
        return client.apply(Shoots, asked, { dryRun: true, force: true, signal })
      }),

    annotate: ({ metadata: { namespace = '', name, uid } }, annotations, write) =>
      told(async () => {
        const at = { namespace, name }
        const by = client.guardedBy(write.assertLeased)
        const id = annotations[OPERATION_ID]
        // A patch whose answer was lost is not repeated: it would ask for the operation again.
        const unlessAsked = ({ metadata, status }: Shoot) => {
          const isAsked = id !== undefined && metadata.annotations?.[OPERATION_ID] === id
          // Of what it gave up, Gardener takes up nothing but a retry.
          const isPending = metadata.annotations?.[GARDENER_OPERATION] !== undefined
          const isReplacing = isPending && status?.lastOperation?.state !== 'Failed'
          const isAnother = metadata.uid !== uid
          return isAnother || isAsked || isReplacing ? undefined : { metadata: { annotations } }
        }
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

const inNamespace = ({ namespace }: Pick<GardenerSettings, 'namespace'>): { readonly namespace?: string } =>
  namespace === undefined ? {} : { namespace }
