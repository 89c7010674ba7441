export type * from './client.ts'
export { loadKubeConfig, redacted, type KubeConfig, type LoadOptions } from './config.ts'
export {
  errorOf,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isTooManyRequests,
  KubeError,
  type FieldConflict,
  type Status,
} from './errors.ts'
export { httpTransport, type HttpOptions, type HttpTransport } from './http.ts'
export { makeClient, type ClientOptions } from './make-client.ts'
export * from './objects.ts'
export type { KubeRequest, KubeResponse, Transport } from './transport.ts'
export { asFieldManager, dryRun, guarded, impersonate } from './wrap.ts'
