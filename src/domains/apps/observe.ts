import { FailureError, failureOf, type Masker } from '../../kernel/index.ts'
import { isForbidden, Namespace, type AppsV1, type CoreV1 } from '../../kube/index.ts'
import { blockersOf } from './health/blockers.ts'
import type { Unwantable, Wanted } from './decide.ts'
import { diagnose } from './health/diagnostics.ts'
import { driftSeen } from './drift/drift.ts'
import { claimNamespace, DEPLOYMENT_LABEL, viewing } from './fence.ts'
import { healthOf, type ObjectHealth } from './health/health.ts'
import type { ReleaseRecord } from './helm/port.ts'
import { recordName } from './helm/storage.ts'
import { kindText } from './drift/kind-text.ts'
import type { VerifiedReleases, ReleaseWatch } from './drift/verified-releases.ts'
import {
  NO_DRIFT,
  type Diagnostics,
  type HealthSeen,
  type NamespaceSeen,
  type Observed,
  type ReleaseSeen,
  type StraysSeen,
} from './observed.ts'
import { straysOf } from './strays.ts'
import { policyDrift } from './namespace/policies.ts'
import type { PolicyWatch } from './namespace/policy-watch.ts'
import { releaseOf, renderTargetOf, type AppsParts, type AppsSettings } from './parts.ts'
import { chartOf, planOf, type Plan, type Planned } from './plan.ts'
import { readRelease, type ReleaseObjects } from './drift/release-objects.ts'
import { ensureRights } from './grants/rights.ts'
import { grantedTo, type LoadedDeployment } from './rows.ts'
import type { Deployment } from './types.ts'

/** Everything a step may need to know of what was seen. */
export interface Observation extends Planned {
  readonly seen: Observed
  readonly wanted: Wanted | Unwantable
  readonly record: ReleaseRecord | undefined
  readonly look: ReleaseObjects
  /** What the chart makes of the values: rendered on first use, and dropped with this sighting. */
  readonly rendered: (signal?: AbortSignal) => Promise<ReleaseRecord['objects']>
  /** Nothing had changed since it was last found in order, so no request was sent. */
  readonly isRemembered: boolean
}

export interface ObserveOptions {
  readonly signal?: AbortSignal
  /** That of the lease under which is looked. @default none: what is found is not remembered */
  readonly fence?: number
  /** The namespace was created under this fence just now: it is ours and empty. */
  readonly isEmpty?: boolean
}

const NOTHING: ReleaseObjects = { objects: [], facts: { autoscalers: [], allowed: [], ignored: [] } }
const STARTING: HealthSeen = { is: 'progressing', because: 'it is not installed' }
/** What goes fast needs no explanation. */
const ASK_FOR_BLOCKERS_MS = 10_000
const CLAIMS_KEPT = 500
const DIAGNOSE_AFTER_MS = 10_000
/** Events of something that was healthy before count for so long. */
const RECENT_MS = 600_000
/** Between our clock and those of the control plane. */
const SKEW_MS = 30_000

/** Observes one deployment. Read-only. */
export class Observer {
  readonly #parts: AppsParts
  readonly #verified: VerifiedReleases | undefined
  readonly #releaseWatch: ReleaseWatch | undefined
  readonly #policies: Pick<PolicyWatch, 'differing'> | undefined
  /** The claims that a chart makes of values, by digest. */
  readonly #claims = new Map<string, readonly string[]>()

  constructor(
    parts: AppsParts,
    watched?: {
      readonly verified: VerifiedReleases
      readonly releaseWatch: ReleaseWatch
      readonly policies?: Pick<PolicyWatch, 'differing'> | undefined
    },
  ) {
    this.#parts = parts
    this.#verified = watched?.verified
    this.#releaseWatch = watched?.releaseWatch
    this.#policies = watched?.policies
  }

  async observe(loaded: LoadedDeployment, options: ObserveOptions = {}): Promise<Observation> {
    const planning = planOf(loaded, this.#parts.settings)
    return loaded.deployment.deletedAt === null
      ? this.#toApply(loaded, planning, options)
      : this.#toDelete(loaded, planning, options)
  }

  /** Of what is to go only two things matter: whether the namespace is there, and whether there is any record in it. */
  async #toDelete(
    loaded: LoadedDeployment,
    planning: Planned,
    { signal, fence }: ObserveOptions,
  ): Promise<Observation> {
    const { deployment } = loaded
    const { plan } = planning
    const planned = { ...planning, rendered: this.#rendering(loaded, planning, () => true) }
    const namespace = await this.#namespace(loaded, signal)
    const exists = () => this.#parts.releases.exists(releaseOf(deployment), signal)
    const hasRecord =
      namespace.is === 'active' &&
      (await exists().catch((error: unknown) => this.#readAgain(error, deployment, exists, { signal, fence })))
    const release: ReleaseSeen = hasRecord ? { is: 'unread', because: 'it is to be deleted' } : { is: 'absent' }
    const wanted = 'problem' in plan ? plan : wantedOf(loaded, plan, 'unknown')
    const seen: Observed = { namespace, release, health: STARTING, drift: NO_DRIFT }
    return { ...planned, seen, wanted, record: undefined, look: NOTHING, isRemembered: false }
  }

  async #toApply(
    loaded: LoadedDeployment,
    planning: Planned,
    { signal, fence, isEmpty = false }: ObserveOptions,
  ): Promise<Observation> {
    const { deployment } = loaded
    const { plan } = planning
    let seenRelease: ReleaseSeen = { is: 'absent' }
    const isUpgrade = (): boolean => seenRelease.is !== 'absent'
    const planned = { ...planning, rendered: this.#rendering(loaded, planning, isUpgrade) }
    const remembered = 'problem' in plan ? undefined : await this.#verified?.recall(deployment, plan.digest)
    if (remembered !== undefined && !('problem' in plan)) {
      seenRelease = remembered.release
      const wanted = wantedOf(loaded, plan, claimsIn(remembered.release))
      return { ...planned, seen: remembered, wanted, record: undefined, look: NOTHING, isRemembered: true }
    }
    const before = this.#verified?.before(deployment)
    const newest = () => this.#newest(deployment, signal)
    // Where it was applied before there is something to read, most likely in a namespace that is ours.
    const reading = deployment.appliedTemplateId === null ? undefined : newest()
    reading?.catch(() => {})
    const namespace: NamespaceSeen = isEmpty ? { is: 'active' } : await this.#namespace(loaded, signal)
    const read =
      namespace.is === 'active' && !isEmpty
        ? await (reading ?? newest()).catch((error: unknown) =>
            this.#readAgain(error, deployment, newest, { signal, fence }),
          )
        : undefined
    const record = read !== undefined && 'unreadable' in read ? undefined : read
    if (record !== undefined) this.#releaseWatch?.follow(record.objects.map(kindText))
    const release: ReleaseSeen =
      read !== undefined && 'unreadable' in read ? { is: 'unread', because: read.unreadable } : releaseSeen(record)
    seenRelease = release
    const wanted = await this.#wanted(loaded, planned, release, signal)
    // An unfinished revision does not say which objects should exist.
    const look =
      release.is === 'deployed' && record !== undefined
        ? await this.#lookWithRights(loaded, planned, record, {
            ...(signal && { signal }),
            ...(fence !== undefined && { fence }),
          })
        : NOTHING
    const drift =
      release.is === 'deployed' || release.is === 'absent'
        ? driftSeen(look.objects.map((object) => object.drift))
        : { ...NO_DRIFT, unrepairable: deployment.unrepairable }
    const health = release.is === 'deployed' ? await this.#health(loaded, planned, release, look, signal) : STARTING
    const healthy = await this.#fallback(loaded, planned, { release, health }, signal)
    const fallback = healthy && { revision: healthy.revision, claims: claimsAmong(healthy.objects) }
    const around = { healthy, look: look.objects, rendered: planned.rendered }
    const strays = record && (await this.#strays(deployment, record, around, signal))
    const seen: Observed = {
      namespace,
      release,
      health,
      drift,
      ...(fallback && { fallback }),
      ...(strays && { strays }),
    }
    const isWanted = !('problem' in plan) && release.is === 'deployed' && release.digest === plan.digest
    if (isWanted && fence !== undefined) {
      const name = record && recordName(deployment.releaseName, record.revision)
      const objects = look.objects.map(({ desired, live }) => ({ kind: kindText(desired), live }))
      await this.#verified?.keep(deployment, fence, { digest: plan.digest, before, record: name, objects, seen })
    }
    return { ...planned, seen, wanted, record, look, isRemembered: false }
  }

  async #newest(
    deployment: Deployment,
    signal?: AbortSignal,
  ): Promise<ReleaseRecord | { readonly unreadable: string } | undefined> {
    try {
      return await this.#parts.releases.newest(releaseOf(deployment), signal)
    } catch (error) {
      const { code, message } = failureOf(error)
      if (code !== 'ReleaseUnreadable') throw error
      return { unreadable: message }
    }
  }

  /** What to go back to, asked for only where a rollout has failed or is about to be found so. */
  async #fallback(
    { deployment }: LoadedDeployment,
    { plan }: Planned,
    { release, health }: Pick<Observed, 'release' | 'health'>,
    signal?: AbortSignal,
  ): Promise<ReleaseRecord | undefined> {
    const digest = deployment.rollout?.healthyDigest ?? null
    if ('problem' in plan || digest === null || digest === plan.digest) return undefined
    const isUnhealthy = release.is === 'deployed' && release.digest === plan.digest && health.is !== 'ready'
    if (release.is !== 'failed' && !isUnhealthy) return undefined
    const before = { revision: release.revision, digest }
    return this.#parts.releases.deployedBefore(releaseOf(deployment), before, signal)
  }

  #strays(
    deployment: Deployment,
    record: ReleaseRecord,
    rest: Pick<Parameters<typeof straysOf>[1], 'healthy' | 'look' | 'rendered'>,
    signal?: AbortSignal,
  ): Promise<StraysSeen | undefined> {
    const objects = record.objects.filter((object) => claimsAmong([object]).length === 0)
    return straysOf(this.#parts, { ...rest, deployment, record: { status: record.status, objects } }, signal)
  }

  /** A worker that died while it created the namespace left it without rights. */
  async #readAgain<T>(
    error: unknown,
    { id, userId, namespaceName: namespace }: LoadedDeployment['deployment'],
    read: () => Promise<T>,
    { signal, fence }: { readonly signal: AbortSignal | undefined; readonly fence: number | undefined },
  ): Promise<T> {
    if (!isForbidden(error) || fence === undefined) throw error
    await claimNamespace(this.#parts, { namespace, deploymentId: id, userId, fence }, signal)
    return read()
  }

  async #namespace({ deployment }: LoadedDeployment, signal?: AbortSignal): Promise<NamespaceSeen> {
    const { client } = this.#parts
    const found = await client.get(Namespace, { name: deployment.namespaceName }, signal)
    if (found === undefined) return { is: 'absent' }
    const label = found.metadata.labels?.[DEPLOYMENT_LABEL]
    if (label !== deployment.id) return label === undefined ? { is: 'foreign' } : { is: 'foreign', label }
    const { deletionTimestamp } = found.metadata
    if (deletionTimestamp !== undefined) return this.#terminating(found, deletionTimestamp, signal)
    if (deployment.deletedAt !== null) return { is: 'active' }
    const suspected = this.#policies?.differing(deployment.namespaceName) ?? []
    const differs = await policyDrift(client, this.#parts.settings.policies, found, suspected, signal)
    return differs.length === 0 ? { is: 'active' } : { is: 'active', differs }
  }

  async #terminating(found: CoreV1.Namespace, at: string, signal?: AbortSignal): Promise<NamespaceSeen> {
    const { client, discovery, clock } = this.#parts
    const since = Date.parse(at)
    const isSlow = clock.now() - since >= ASK_FOR_BLOCKERS_MS
    return { is: 'terminating', since, blockers: isSlow ? await blockersOf(client, discovery, found, signal) : [] }
  }

  /** Somebody may have taken away what lets us see objects outside of the namespace. */
  async #lookWithRights(
    loaded: LoadedDeployment,
    planned: Planned,
    record: ReleaseRecord,
    { signal, fence }: ObserveOptions,
  ): Promise<ReleaseObjects> {
    try {
      return await this.#look(loaded, planned, record, signal)
    } catch (error) {
      const granted = grantedTo(loaded)
      if (!isForbidden(error) || fence === undefined || granted.length === 0) throw error
      const { id: deploymentId, namespaceName: namespace } = loaded.deployment
      await ensureRights(this.#parts, { namespace, deploymentId, fence }, granted, signal)
      return this.#look(loaded, planned, record, signal)
    }
  }

  #look(loaded: LoadedDeployment, { mask }: Planned, record: ReleaseRecord, signal?: AbortSignal) {
    const { deployment, template } = loaded
    const { namespaceName: namespace, unrepairable: known } = deployment
    const options = { namespace, template, granted: grantedTo(loaded), mask, known, ...(signal && { signal }) }
    return readRelease(this.#parts, record, options)
  }

  #rendering(
    { deployment, template }: LoadedDeployment,
    { plan, mask }: Planned,
    isUpgrade: () => boolean,
  ): Observation['rendered'] {
    const { charts, helm } = this.#parts
    const render = async (signal?: AbortSignal) => {
      if ('problem' in plan) throw new FailureError(plan.problem)
      const target = await renderTargetOf(this.#parts, { deployment, template }, signal)
      const chart = await charts.fetch(chartOf(template), signal)
      return helm.render(target, chart, plan.values, signal, { mask, isUpgrade: isUpgrade() })
    }
    let rendered: ReturnType<typeof render> | undefined
    return (signal) => (rendered ??= render(signal))
  }

  /** Rendering is the dear part, and only what is to be upgraded needs it. */
  async #wanted(
    loaded: LoadedDeployment,
    { plan, rendered }: Pick<Observation, 'plan' | 'rendered'>,
    release: ReleaseSeen,
    signal?: AbortSignal,
  ): Promise<Wanted | Unwantable> {
    if ('problem' in plan) return plan
    if (release.is === 'deployed' && release.digest === plan.digest) return wantedOf(loaded, plan, release.claims)
    try {
      return wantedOf(loaded, plan, await this.#claimsOf(loaded, { digest: plan.digest, rendered }, release, signal))
    } catch (error) {
      const problem = failureOf(error)
      if (signal?.aborted || problem.code === 'Unexpected') throw error
      return { problem }
    }
  }

  async #claimsOf(
    { template }: LoadedDeployment,
    { digest, rendered }: Pick<Plan, 'digest'> & Pick<Observation, 'rendered'>,
    release: ReleaseSeen,
    signal?: AbortSignal,
  ): Promise<Wanted['claims']> {
    const known = this.#claims.get(digest)
    if (known !== undefined) return known
    // A first install is judged by its own record if it fails; whether its chart can be had is asked all the same.
    if (release.is === 'absent' || release.is === 'unread') {
      await this.#parts.charts.fetch(chartOf(template), signal)
      return 'unknown'
    }
    const claims = claimsAmong(await rendered(signal))
    if (this.#claims.size >= CLAIMS_KEPT) this.#claims.clear()
    this.#claims.set(digest, claims)
    return claims
  }

  async #health(
    { deployment }: LoadedDeployment,
    { mask }: Planned,
    release: Extract<ReleaseSeen, { is: 'deployed' }>,
    { objects }: ReleaseObjects,
    signal?: AbortSignal,
  ): Promise<HealthSeen> {
    const healths = objects.flatMap(({ live }) => (live === undefined ? [] : [healthOf(live)]))
    const worst =
      healths.find(({ is }) => is === 'failing') ??
      healths.find((one) => one.is === 'progressing' && one.isDown === true) ??
      healths.find(({ is }) => is === 'progressing')
    if (worst === undefined || worst.is === 'ready') return { is: 'ready' }
    const because = mask.excerpt(worst.because)
    const known = await this.#diagnosed(deployment, release, worst, mask, signal)
    if (worst.is === 'failing')
      return { is: 'failing', diagnostics: known ?? { code: 'NeverHealthy', message: because } }
    const isWatched = objects.every(
      ({ desired, live }) =>
        live === undefined ||
        healthOf(live).is === 'ready' ||
        this.#releaseWatch?.tellsHealthOf(kindText(desired)) === true,
    )
    return {
      is: 'progressing',
      because,
      ...(worst.isDown && { isDown: true }),
      ...(isWatched && { isWatched }),
      ...(known && { diagnostics: known }),
    }
  }

  /** A rollout that goes well is not asked for its troubles. */
  async #diagnosed(
    { namespaceName, status, generation, observedGeneration }: Deployment,
    { updatedAt }: Extract<ReleaseSeen, { is: 'deployed' }>,
    { is }: ObjectHealth,
    mask: Masker,
    signal?: AbortSignal,
  ): Promise<Diagnostics | undefined> {
    const now = this.#parts.clock.now()
    const wasReady = (status === 'ready' || status === 'degraded') && observedGeneration === generation
    if (is === 'progressing' && !wasReady && now - updatedAt < DIAGNOSE_AFTER_MS) return undefined
    const since = wasReady ? now - RECENT_MS : updatedAt - SKEW_MS
    return diagnose(this.#parts.client.as(viewing), { namespace: namespaceName, since }, mask, signal)
  }
}

/** Of a deployment that is to be deleted and whose cluster is gone. Nobody is asked. */
export function nothingLeft(loaded: LoadedDeployment, settings: AppsSettings): Observation {
  const planned = planOf(loaded, settings)
  const { plan } = planned
  return {
    ...planned,
    seen: { namespace: { is: 'absent' }, release: { is: 'absent' }, health: STARTING, drift: NO_DRIFT },
    wanted: 'problem' in plan ? plan : wantedOf(loaded, plan, 'unknown'),
    record: undefined,
    look: NOTHING,
    rendered: async () => [],
    isRemembered: false,
  }
}

const wantedOf = ({ template }: LoadedDeployment, { digest }: Plan, claims: Wanted['claims']): Wanted => ({
  digest,
  healthTimeoutMs: template.healthTimeoutSec * 1000,
  claims,
})

const claimsIn = (release: ReleaseSeen): Wanted['claims'] => ('claims' in release ? release.claims : 'unknown')

/** The claims of a manifest, and the names that those begin with which go with their StatefulSet. */
export function claimsAmong(objects: ReleaseRecord['objects']): string[] {
  return objects.flatMap((object) => {
    if (object.kind === 'PersistentVolumeClaim') return [object.metadata.name]
    return object.kind === 'StatefulSet' ? claimsGoingWith(object as AppsV1.StatefulSet) : []
  })
}

function claimsGoingWith({ metadata, spec }: AppsV1.StatefulSet): string[] {
  if (spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted !== 'Delete') return []
  return (spec.volumeClaimTemplates ?? []).map((claim) => `${claim.metadata.name}-${metadata.name}`)
}

function releaseSeen(record: ReleaseRecord | undefined): ReleaseSeen {
  if (record === undefined || record.status === 'uninstalled') return { is: 'absent' }
  const { revision, digest, status, updatedAt } = record
  const facts = { revision, claims: claimsAmong(record.objects), ...(digest !== undefined && { digest }) }
  if (typeof status === 'object') return { is: 'pending', kind: status.pending, ...facts }
  return status === 'deployed' ? { is: 'deployed', updatedAt, ...facts } : { is: status, ...facts }
}
