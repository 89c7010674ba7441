export type * from './client/client.ts'
export { kubeconfigAs } from './config/kubeconfig-as.ts'
export { kubeConfigFrom, loadKubeConfig, redacted, type KubeConfig, type LoadOptions } from './config/config.ts'
export {
  NotRenewedYet,
  RENEW_AFTER,
  renewedConfig,
  type EndingKubeconfig,
  type RenewedConfigOptions,
} from './config/renewed-config.ts'
export {
  Anything,
  Conditions,
  defineCrd,
  installCrd,
  IntOrString,
  mapList,
  type Crd,
  type CrdDefinition,
  type ObjectOf,
} from './crd/crd.ts'
export { discovery, type Discovery, type ServedResource } from './client/discovery.ts'
export {
  errorOf,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  KubeError,
  type FieldConflict,
  type Status,
  type StatusCause,
} from './errors.ts'
export { withFaults, type Fault, type FaultPlan } from './transport/faults.ts'
export { httpTransport, type HttpOptions, type HttpTransport } from './transport/http.ts'
export type { ConnectionEvents } from './transport/silence.ts'
export { requireStreams } from './transport/streams.ts'
export { makeClient, type ClientOptions } from './client/make-client.ts'
export * from './objects.ts'
export {
  loopbackProxy,
  status as statusObject,
  type LoopbackProxy,
  type OwnAnswer,
  type ProxiedRequest,
  type ProxySession,
} from './proxy/loopback-proxy.ts'
export { partsOf, type PathParts } from './client/paths.ts'
export { quantityOf, sameQuantity } from './quantity.ts'
export * from './resources.ts'
export type { KubeRequest, KubeResponse, Transport } from './transport/transport.ts'
export type * as AppsV1 from './types/apps-v1.ts'
export type * as BatchV1 from './types/batch-v1.ts'
export type * as CoreV1 from './types/core-v1.ts'
export type * as MetaV1 from './types/meta-v1.ts'
export type * as RbacV1 from './types/rbac-v1.ts'
export { guarded, impersonate, ledBy, observed, type RequestEvents } from './transport/wrap.ts'
export { eventRecorder, type EventRecorder, type EventRecorderOptions, type Happened } from './event-recorder.ts'
export { kubeEventEntries } from './event-timeline.ts'
export * from './fields/index.ts'
export {
  conditionOf,
  isObserved,
  objectHealth,
  rolloutOf,
  type Health,
  type ReportedCondition,
  type Rollout,
} from './health.ts'
export { leaderElection, type LeaderElectionOptions, type LeaderEvents } from './lease/election.ts'
export {
  applyFenced,
  deleteFenced,
  patchFenced,
  type FencedApplyOptions,
  type MergePatch,
  type ObjectFence,
} from './lease/fenced-writes.ts'
export { kubeLocks, type KubeLocksOptions } from './lease/locks.ts'
export type { LeaderTimings } from './lease/timings.ts'
export { byNamespace, byOwner, type IndexFn } from './cache/indexes.ts'
export { keeping, withoutManagedFields, type Keep } from './cache/keep.ts'
export type { Change, Via } from './cache/store.ts'
export {
  controllerOf,
  itself,
  keyAt,
  repeatedWakes,
  specChanged,
  wakeOn,
  type RepeatedWakes,
  type WakeOptions,
  type WakeRule,
} from './cache/wake.ts'
export { cache, type Cache, type CacheSpec } from './cache/cache.ts'
export { cacheIn, type NamespaceScope } from './cache/joined.ts'
export { servedKinds, type ServedKinds, type ServedKindsOptions } from './cache/served-kinds.ts'
export {
  ledController,
  type ControllerParts,
  type ControllerPlan,
  type LedController,
  type LedControllerEvents,
  type LedControllerOptions,
  type ReconciledKind,
} from './controller/led-controller.ts'
export type { WatchEvents } from './watch/events.ts'
export { compareVersions } from './watch/version.ts'
export type { WatchDeps, WatchTimings } from './watch/watch.ts'
