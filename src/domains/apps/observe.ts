import { FailureError, failureOf } from '../../kernel/index.ts'
import { Namespace, type CoreV1 } from '../../kube/index.ts'
import { blockersOf } from './health/blockers.ts'
import type { Unwantable, Wanted } from './decide.ts'
import { diagnose } from './health/diagnostics.ts'
import { driftSeen } from './drift/drift.ts'
import { DEPLOYMENT_LABEL } from './fence.ts'
import { healthOf } from './health/health.ts'
import type { ReleaseRecord } from './helm/port.ts'
import { recordName } from './helm/storage.ts'
import { kindText } from './drift/kind-text.ts'
import type { VerifiedReleases, ReleaseWatch } from './drift/verified-releases.ts'
import { NO_DRIFT, type HealthSeen, type NamespaceSeen, type Observed, type ReleaseSeen } from './observed.ts'
import { releaseOf, type AppsParts } from './parts.ts'
import { chartOf, planOf, type Plan, type Planned } from './plan.ts'
import { readRelease, type ReleaseObjects } from './drift/release-objects.ts'
import type { LoadedDeployment } from './rows.ts'

/** Everything a step may need to know of what was seen. */
export interface Observation extends Planned {
  readonly seen: Observed
  readonly wanted: Wanted | Unwantable
  readonly record: ReleaseRecord | undefined
  readonly look: ReleaseObjects
  /** What the chart makes of the values: rendered for whoever asks first, and gone with this sighting. */
  readonly rendered: (signal?: AbortSignal) => Promise<ReleaseRecord['objects']>
  /** Nothing had been touched since it was last found in order, so nobody was asked. */
  readonly isRemembered: boolean
}

export interface ObserveOptions {
  readonly signal?: AbortSignal
  /** That of the lease under which is looked. @default none: what is found is not remembered */
  readonly fence?: number
}

const NOTHING: ReleaseObjects = { objects: [], facts: { autoscalers: [], allowed: [] } }
const STARTING: HealthSeen = { is: 'progressing', because: 'it is not installed' }
/** What goes fast needs no explanation. */
const ASK_FOR_BLOCKERS_MS = 10_000
const CLAIMS_KEPT = 500

/** Observes one deployment. Read-only. */
export class Observer {
  readonly #parts: AppsParts
  readonly #verified: VerifiedReleases | undefined
  readonly #releaseWatch: ReleaseWatch | undefined
  /** The claims that a chart makes of values, by digest. */
  readonly #claims = new Map<string, readonly string[]>()

  constructor(
    parts: AppsParts,
    watched?: { readonly verified: VerifiedReleases; readonly releaseWatch: ReleaseWatch },
  ) {
    this.#parts = parts
    this.#verified = watched?.verified
    this.#releaseWatch = watched?.releaseWatch
  }

  async observe(loaded: LoadedDeployment, { signal, fence }: ObserveOptions = {}): Promise<Observation> {
    const { deployment } = loaded
    const planning = planOf(loaded, this.#parts.settings)
    const { plan } = planning
    const planned = { ...planning, rendered: this.#rendering(loaded, plan) }
    const remembered = 'problem' in plan ? undefined : await this.#verified?.recall(deployment, plan.digest)
    if (remembered !== undefined && !('problem' in plan)) {
      const wanted = wantedOf(loaded, plan, claimsIn(remembered.release))
      return { ...planned, seen: remembered, wanted, record: undefined, look: NOTHING, isRemembered: true }
    }
    const before = this.#verified?.before(deployment)
    const newest = () => this.#parts.releases.newest(releaseOf(deployment), signal)
    // Where it was applied before there is something to read, most likely in a namespace that is ours.
    const reading = deployment.appliedTemplateId === null ? undefined : newest()
    reading?.catch(() => {})
    const namespace = await this.#namespace(loaded, signal)
    const record = namespace.is === 'active' ? await (reading ?? newest()) : undefined
    if (record !== undefined) this.#releaseWatch?.follow(record.objects.map(kindText))
    const release = releaseSeen(record)
    const wanted = await this.#wanted(loaded, planned, release, signal)
    const look =
      hasObjects(release) && record !== undefined ? await this.#look(loaded, planned, record, signal) : NOTHING
    const drift = driftSeen(look.objects.map((object) => object.drift))
    const health = release.is === 'deployed' ? await this.#health(loaded, planned, release, look, signal) : STARTING
    const seen: Observed = { namespace, release, health, drift: hasObjects(release) ? drift : NO_DRIFT }
    if (!('problem' in plan) && fence !== undefined) {
      const name = record && recordName(deployment.releaseName, record.revision)
      const objects = look.objects.map(({ desired, live }) => ({ kind: kindText(desired), live }))
      await this.#verified?.keep(deployment, fence, { digest: plan.digest, before, record: name, objects, seen })
    }
    return { ...planned, seen, wanted, record, look, isRemembered: false }
  }

  async #namespace({ deployment }: LoadedDeployment, signal?: AbortSignal): Promise<NamespaceSeen> {
    const { client } = this.#parts
    const found = await client.get(Namespace, { name: deployment.namespaceName }, signal)
    if (found === undefined) return { is: 'absent' }
    const label = found.metadata.labels?.[DEPLOYMENT_LABEL]
    if (label !== deployment.id) return label === undefined ? { is: 'foreign' } : { is: 'foreign', label }
    const { deletionTimestamp } = found.metadata
    return deletionTimestamp === undefined ? { is: 'active' } : this.#terminating(found, deletionTimestamp, signal)
  }

  async #terminating(found: CoreV1.Namespace, at: string, signal?: AbortSignal): Promise<NamespaceSeen> {
    const { client, discovery, clock } = this.#parts
    const since = Date.parse(at)
    const isSlow = clock.now() - since >= ASK_FOR_BLOCKERS_MS
    return { is: 'terminating', since, blockers: isSlow ? await blockersOf(client, discovery, found, signal) : [] }
  }

  #look({ deployment, template }: LoadedDeployment, { mask }: Planned, record: ReleaseRecord, signal?: AbortSignal) {
    const options = { namespace: deployment.namespaceName, template, mask, ...(signal && { signal }) }
    return readRelease(this.#parts, record, options)
  }

  #rendering({ deployment, template }: LoadedDeployment, plan: Planned['plan']): Observation['rendered'] {
    const { charts, helm } = this.#parts
    const render = async (signal?: AbortSignal) => {
      if ('problem' in plan) throw new FailureError(plan.problem)
      return helm.render(releaseOf(deployment), await charts.fetch(chartOf(template), signal), plan.values, signal)
    }
    let rendered: ReturnType<typeof render> | undefined
    return (signal) => (rendered ??= render(signal))
  }

  /** Rendering is the dear part, and only what is to be upgraded needs it. Deleting needs none of it. */
  async #wanted(
    loaded: LoadedDeployment,
    { plan, rendered }: Pick<Observation, 'plan' | 'rendered'>,
    release: ReleaseSeen,
    signal?: AbortSignal,
  ): Promise<Wanted | Unwantable> {
    if ('problem' in plan) return plan
    if (loaded.deployment.deletedAt !== null) return wantedOf(loaded, plan, 'unknown')
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
    if (release.is === 'absent') {
      await this.#parts.charts.fetch(chartOf(template), signal)
      return 'unknown'
    }
    const claims = claimsAmong(await rendered(signal))
    if (this.#claims.size >= CLAIMS_KEPT) this.#claims.clear()
    this.#claims.set(digest, claims)
    return claims
  }

  async #health(
    { deployment, template }: LoadedDeployment,
    { mask }: Planned,
    release: Extract<ReleaseSeen, { is: 'deployed' }>,
    { objects }: ReleaseObjects,
    signal?: AbortSignal,
  ): Promise<HealthSeen> {
    const healths = objects.flatMap(({ live }) => (live === undefined ? [] : [healthOf(live)]))
    const worst = healths.find(({ is }) => is === 'failing') ?? healths.find(({ is }) => is === 'progressing')
    if (worst === undefined || worst.is === 'ready') return { is: 'ready' }
    const wasReady = deployment.status === 'ready' && deployment.observedGeneration === deployment.generation
    const isLate = this.#parts.clock.now() - release.updatedAt >= template.healthTimeoutSec * 1000
    const because = mask.excerpt(worst.because)
    if (worst.is === 'progressing' && (wasReady || !isLate)) return { is: 'progressing', because }
    const told = await diagnose(this.#parts.client, deployment.namespaceName, mask, signal)
    if (told !== undefined) return { is: 'failing', diagnostics: told }
    return worst.is === 'progressing'
      ? { is: 'progressing', because }
      : { is: 'failing', diagnostics: { code: 'NeverHealthy', message: because } }
  }
}

const wantedOf = ({ template }: LoadedDeployment, { digest }: Plan, claims: Wanted['claims']): Wanted => ({
  digest,
  healthTimeoutMs: template.healthTimeoutSec * 1000,
  claims,
})

const claimsIn = (release: ReleaseSeen): Wanted['claims'] => (release.is === 'absent' ? 'unknown' : release.claims)

export const claimsAmong = (objects: ReleaseRecord['objects']): string[] =>
  objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(({ metadata }) => metadata.name)

/** Of a release that a dead worker left in the middle, nobody knows what should be there. */
const hasObjects = ({ is }: ReleaseSeen): boolean => is === 'deployed' || is === 'failed' || is === 'superseded'

function releaseSeen(record: ReleaseRecord | undefined): ReleaseSeen {
  if (record === undefined || record.status === 'uninstalled') return { is: 'absent' }
  const { revision, digest, status, updatedAt } = record
  const facts = { revision, claims: claimsAmong(record.objects), ...(digest !== undefined && { digest }) }
  if (typeof status === 'object') return { is: 'pending', kind: status.pending, ...facts }
  return status === 'deployed' ? { is: 'deployed', updatedAt, ...facts } : { is: status, ...facts }
}
