import type { Masker } from '../../../kernel/index.ts'
import type { Identity, KubeObject } from '../../../kube/index.ts'
import type { JsonObject } from '../values/json.ts'
import type { HandedOver, PendingKind } from '../observed.ts'
import type { GrantedObject } from '../grants/grant.ts'
import type { ClusterReach } from './reach.ts'

/** Where a template says its chart is. */
export interface ChartLocation {
  /** `oci://…`, `https://…` (a repository, with the chart's name as last segment), or a local path in development. */
  readonly ref: string
  readonly version: string
  /** `sha256:…` of the packaged chart; a chart with another one is refused. */
  readonly digest: string | null
}

/** Who vouched for a chart. */
export interface Signer {
  /** Of the key, 40 hexadecimal digits. */
  readonly fingerprint: string
  /** As the key calls its owner, such as `Ada Lovelace <ada@example.com>`. */
  readonly identity: string
}

/** An archive with what its signer says about it. */
export interface SignedArchive {
  /** What the signature calls the archive. */
  readonly fileName: string
  readonly archive: Buffer
  /** The `.prov` file. */
  readonly provenance: Buffer
  /** OpenPGP keys in binary form. */
  readonly keyring: Buffer
}

/** Fails with `ChartUnverified` unless a key of the ring signed exactly this archive. */
export type VerifyArchive = (signed: SignedArchive, signal?: AbortSignal) => Promise<Signer>

/** A chart on our disk, verified. */
export interface Chart {
  readonly archive: string
  readonly digest: string
  readonly name: string
  readonly version: string
  readonly appVersion: string | null
  readonly description: string | null
  readonly icon: string | null
  readonly defaultValues: JsonObject
  readonly valuesSchema: JsonObject | null
  /** Absent: nobody asked who signed it. */
  readonly signedBy?: Signer
}

/** Fetches charts. A digest that was fetched once is served from disk, also while its source is away. */
export interface Charts {
  fetch(location: ChartLocation, signal?: AbortSignal): Promise<Chart>
}

/** One release and on whose behalf it is touched: the identity carries the fence to the API server. */
export interface ReleaseTarget {
  readonly namespace: string
  readonly release: string
  /** @default nobody where it is rendered, the user of the kubeconfig elsewhere */
  readonly as?: Identity
  /** Cluster-scoped objects that its manifest may have. @default none */
  readonly granted?: readonly GrantedObject[]
  /** Cluster-scoped objects that are reached where something is written. @default none */
  readonly cluster?: readonly ClusterReach[]
}

export interface Rollout {
  readonly chart: Chart
  readonly values: JsonObject
  /** Kept with the release: names chart, template and values. */
  readonly digest: string
  /** That of every hook. Nothing else is waited for. */
  readonly timeoutMs: number
  /** Fields left out of what is applied, because they are meant to be another's. */
  readonly handOver: readonly HandedOver[]
  /** Takes fields over that other managers hold. @default false */
  readonly force?: boolean
  /** Hides secrets in what Helm says when it fails. @default hides everything in the user part of the values */
  readonly mask?: Masker
}

/** A revision that was applied. */
export interface Applied {
  readonly revision: number
  /** As its record has them, without hooks. */
  readonly objects: readonly KubeObject[]
}

export interface RenderOptions {
  /** Of a release that exists: charts can tell the difference. @default an install */
  readonly isUpgrade?: boolean
  /** Hides secrets in what Helm says when it fails. @default hides everything in the user part of the values */
  readonly mask?: Masker
  /**
   * Without the control plane, as if it had these API versions, and with hooks: the objects as the chart writes them. For a
   * chart that was not ordered yet.
   */
  readonly alone?: { readonly apiVersions: readonly string[] }
}

/**
 * The verbs of Helm that change the world. Errors are `FailureError`s with the codes of `failures.ts`. What fails stays as it
 * is: to undo it is a decision of its own.
 */
export interface Helm {
  /**
   * What the chart would make of the values: the objects, hooks left out. Touches nothing. Templates see the namespace of
   * the release as the identity of the target, and nothing of the cluster without one. Refuses what a release may not have.
   */
  render(
    target: ReleaseTarget,
    chart: Chart,
    values: JsonObject,
    signal?: AbortSignal,
    options?: RenderOptions,
  ): Promise<readonly KubeObject[]>
  install(target: ReleaseTarget, rollout: Rollout, signal?: AbortSignal): Promise<Applied>
  upgrade(target: ReleaseTarget, rollout: Rollout, signal?: AbortSignal): Promise<Applied>
  /** Applies an earlier revision once more, as a new one with the digest of the earlier. */
  rollBack(
    target: ReleaseTarget,
    to: { readonly revision: number; readonly timeoutMs: number; readonly mask?: Masker },
    signal?: AbortSignal,
  ): Promise<void>
  /** False: there was no release. */
  uninstall(
    target: ReleaseTarget,
    options: { readonly hooks: boolean; readonly timeoutMs: number; readonly mask?: Masker },
    signal?: AbortSignal,
  ): Promise<boolean>
}

/** A record of a release, read from Helm's own storage. */
export interface ReleaseRecord {
  readonly revision: number
  readonly status:
    | 'deployed'
    | 'failed'
    | 'superseded'
    | 'uninstalling'
    | 'uninstalled'
    | { readonly pending: PendingKind }
  readonly updatedAt: number
  /** What we kept with it; absent when it was not us who made it. */
  readonly digest?: string
  readonly objects: readonly KubeObject[]
}

/** What a record holds besides its objects, as it is: with secrets. */
export interface ReleaseContents {
  readonly revision: number
  readonly digest?: string
  /** What the chart says to whoever installed it. */
  readonly notes: string
  readonly manifest: string
  /** What Helm was given. */
  readonly values: JsonObject
  /** Those of the chart. */
  readonly defaults: JsonObject
}

/** Helm's storage in the namespace, without running Helm. */
export interface Releases {
  /** A record that cannot be read is a `ReleaseUnreadable`. */
  newest(target: ReleaseTarget, signal?: AbortSignal): Promise<ReleaseRecord | undefined>
  /** Whether there is any record, whatever it says. */
  exists(target: ReleaseTarget, signal?: AbortSignal): Promise<boolean>
  /** The newest revision that is deployed: what Helm compares an upgrade with. */
  standing(target: ReleaseTarget, signal?: AbortSignal): Promise<ReleaseRecord | undefined>
  /** What is in the revision that is deployed, or in the newest where none is. */
  contents(target: ReleaseTarget, signal?: AbortSignal): Promise<ReleaseContents | undefined>
  /** The newest revision before `revision` that was deployed with this digest. */
  deployedBefore(
    target: ReleaseTarget,
    before: { readonly revision: number; readonly digest: string },
    signal?: AbortSignal,
  ): Promise<ReleaseRecord | undefined>
  /** Rewrites a pending or uninstalling record as failed, guarded by its resourceVersion. */
  markFailed(target: ReleaseTarget, revision: number, signal?: AbortSignal): Promise<void>
}
