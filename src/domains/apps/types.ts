import type { Failure } from '../../kernel/index.ts'
import type { IgnoreRule } from './drift/ignore-rules.ts'
import type { Grant } from './grants/grant.ts'
import type { Signer } from './helm/port.ts'
import type { Inspection } from './inspection/inspection.ts'
import type { JsonObject } from './values/json.ts'
import type { Unrepairable } from './observed.ts'
import type { RolloutState } from './rollout.ts'
import type { Layout } from './values/layout.ts'

/*
 * Terms used in this folder
 *
 * - product:    what a tenant can order
 * - template:   one immutable version of a product: a chart, its defaults, the schema of its values
 * - deployment: one order: a product for one user, one namespace, one Helm release
 * - user part:  the values under `user`, the only ones a tenant may set
 * - sealed:     write-only values as they are stored: encrypted, one envelope per field
 * - digest:     names chart, template and values together; equal digests mean that there is nothing to upgrade
 * - rollout:    bringing one digest to the control plane: Helm runs, then the objects have to become healthy in time
 */

export const DEPLOYMENT_STATUSES = [
  'pending',
  'provisioning',
  'ready',
  'upgrading',
  'degraded',
  'stalled',
  'deleting',
  'deleted',
  'error',
] as const
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number]

/** Why a deployment was queued, weakest first: coalescing keeps the stronger one. */
export const JOB_REASONS = ['drift', 'retry', 'update', 'create', 'delete'] as const
export type JobReason = (typeof JOB_REASONS)[number]

export const JOB_STATUSES = ['queued', 'running', 'done', 'failed'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const PACKAGE_TYPES = ['helm-chart'] as const
export type PackageType = (typeof PACKAGE_TYPES)[number]

/** The user whose deployment it is. */
export interface Owner {
  readonly id: string
  readonly email: string
}

/** A domain that only one user may order, with everything below it. */
export interface OwnedDomain {
  readonly suffix: string
  readonly userId: string
  readonly email: string
  readonly createdAt: number
}

/** Times are milliseconds since the epoch; `null` is what the column holds when there is nothing. */
export interface Product {
  readonly id: string
  readonly name: string
  readonly description: string | null
  /** The canonical template: the one that new deployments get. */
  readonly templateId: string | null
  readonly icon: string | null
  /** Incremented by every change. */
  readonly generation: number
  readonly createdAt: number
  readonly deletedAt: number | null
}

export interface Template {
  readonly id: string
  readonly productId: string
  readonly packageType: PackageType
  /** `oci://…`, `https://…`, or a local path in development. */
  readonly chartRef: string
  readonly chartVersion: string
  readonly chartDigest: string | null
  readonly versionLabel: string | null
  /** The chart's, with the overrides laid over them: for the form and for checks. */
  readonly defaultValues: JsonObject
  /** What Helm is given of them. `null`: published before they were kept apart from the chart's; Helm is given all. */
  readonly overrides: JsonObject | null
  readonly valuesSchema: JsonObject | null
  /** Where in the values the platform and the tenant write. */
  readonly layout: Layout
  readonly capabilities: JsonObject
  /** Fields of its objects that are left to others. */
  readonly driftIgnore: readonly IgnoreRule[]
  readonly healthTimeoutSec: number
  /** Who had signed the chart when it was published. `null`: it was not verified. */
  readonly signedBy: Signer | null
  /** What trying it out told when it was published. `null`: it was not tried. */
  readonly inspection: Inspection | null
  /** Cluster-scoped objects that its releases may have, and those that they no longer may. @default none */
  readonly grants?: readonly Grant[]
  readonly createdAt: number
  readonly deletedAt: number | null
}

/** A host of charts that requires credentials or an authority. The password is not shown. */
export interface ChartSource {
  readonly host: string
  /** `null`: requests are anonymous. */
  readonly username: string | null
  /** Certificate authorities in PEM. `null`: the usual ones. */
  readonly ca: string | null
  readonly verification: Verification
  /** Public OpenPGP keys in ASCII armor. `null`: those of the platform. */
  readonly keyring: string | null
  readonly updatedAt: number
}

/** Whether charts must be signed by a key of the keyring. */
export const VERIFICATIONS = ['none', 'required'] as const
export type Verification = (typeof VERIFICATIONS)[number]

/** Envelopes by the pointer of their field in the user part. */
export type SealedValues = Readonly<Record<string, string>>

export interface Deployment {
  readonly id: string
  readonly deploymentUid: string
  readonly namespaceName: string
  readonly releaseName: string
  readonly userId: string
  /** The cluster that it converges into. `null`: the platform's own control plane. */
  readonly clusterId: string | null
  readonly domainname: string
  /** Without the write-only fields: those are in `sealedValues`. */
  readonly userValues: JsonObject
  readonly sealedValues: SealedValues
  readonly desiredTemplateId: string
  readonly appliedTemplateId: string | null
  readonly status: DeploymentStatus
  /** Bumped by every change of intent. */
  readonly generation: number
  /** The generation that the world was last seen to match. */
  readonly observedGeneration: number
  /** The generation that `status` and `lastError` speak of. */
  readonly statusGeneration: number
  /** How often a person asked to try again what had failed. */
  readonly retries: number
  readonly rollout: RolloutState | null
  /** What was changed by hand and cannot be changed back. */
  readonly unrepairable: readonly Unrepairable[]
  /** Since when it is left as it is. */
  readonly suspendedAt: number | null
  readonly lastError: Failure | null
  readonly lastReconcileAt: number | null
  readonly nextReconcileAt: number | null
  readonly createdAt: number
  readonly deletedAt: number | null
}

export interface ReconcileJob {
  readonly id: string
  readonly deploymentId: string
  readonly reason: JobReason
  readonly runAfter: number
  readonly attempt: number
  readonly status: JobStatus
  readonly lockedBy: string | null
  readonly lockedAt: number | null
  readonly leaseUntil: number | null
  readonly fence: number
  readonly lastError: Failure | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** One input that was refused, and why, in words for the person who wrote it. */
export interface FieldProblem {
  /** A JSON pointer such as `/user/replicas`, or the name of a plain field such as `domainname`. */
  readonly field: string
  readonly message: string
}
