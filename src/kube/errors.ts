import { retryAfterIn, retryAfterOfSeconds } from '../http/index.ts'
import { defineFailures, FailureError } from '../kernel/index.ts'
import type { KubeResponse } from './transport/transport.ts'

/**
 * Unavailable, throttled and forbidden are retried: they can clear up without a change of the object.
 * An invalid object is not retried until it changes.
 */
export const raise = defineFailures({
  KubeUnreachable: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Caelus retries automatically. If the problem persists, check the address in the kubeconfig and that the API server is up.',
  },
  KubeAnswerTooLarge: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Delete objects of the kind that the message names, or make them smaller.',
  },
  KubeTooManyWatches: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Watch all namespaces instead of single ones, or divide the namespaces among several installations.',
  },
  KubeUnauthorized: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Renew the credentials in the kubeconfig; the next try reads them again.',
  },
  KubeForbidden: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Grant the named verb on the named resource to the named user, or withdraw the request.',
  },
  KubeQuotaExceeded: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Free or raise the quota that the message names. Caelus retries automatically.',
  },
  KubeNotFound: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Caelus retries automatically. If the problem persists, create what the message names (a namespace, a custom resource definition).',
  },
  KubeAlreadyExists: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Caelus retries with the existing object. If the problem persists, rename one of the two.',
  },
  KubeConflict: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Caelus retries automatically: another client changed the object first.',
  },
  KubeFieldConflict: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Decide who owns the named fields: let the other manager give them up, or stop asking for them here.',
  },
  KubeNamespaceTerminating: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Caelus retries when the namespace is gone. If the problem persists, look for finalizers in that namespace.',
  },
  KubeInvalid: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Correct the fields that the message names.',
  },
  KubeAdmissionDenied: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Change the object so that the named policy admits it, or ask the owner of the policy.',
  },
  KubeExpired: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Caelus retries automatically from a newer version.',
  },
  KubeBusy: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Caelus retries after the delay that the API server asked for (Retry-After).',
  },
  KubeServerError: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Caelus retries automatically. If the problem persists, read the log of the API server or of the webhook that the message names.',
  },
  KubeRefused: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'The API server does not understand this call: compare its version with the supported ones.',
  },
})

type Code = keyof typeof raise

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** The `Status` object of the Kubernetes API, as far as it is used here. */
export interface Status {
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  readonly details?: {
    readonly name?: string
    readonly group?: string
    readonly kind?: string
    readonly uid?: string
    readonly retryAfterSeconds?: number
    readonly causes?: readonly StatusCause[]
  }
}

/** A field that another manager owns, as server-side apply reports it. */
export interface FieldConflict {
  readonly field: string
  readonly manager: string
  readonly subresource: string | undefined
}

/** An answer of the API server that is not a success, with its failure code. */
export class KubeError extends FailureError {
  override readonly name = 'KubeError'
  readonly status: number
  readonly reason: string
  /** In the words of the API server alone. */
  readonly said: string
  readonly details: NonNullable<Status['details']>
  /** The conflicts of a server-side apply with other managers. */
  readonly conflicts: readonly FieldConflict[]

  constructor(doing: string, status: Status & { readonly code: number }, retryAfterMs?: number) {
    const text = `failed to ${doing}: ${status.message ?? `the API server answered ${status.code}`}`
    const seconds = status.details?.retryAfterSeconds
    const wait = retryAfterMs ?? (seconds === undefined ? undefined : retryAfterOfSeconds(seconds))
    super(raise[codeOf(status)](text).failure, wait === undefined ? {} : { retryAfterMs: wait })
    this.status = status.code
    this.reason = status.reason ?? ''
    this.said = status.message ?? ''
    this.details = status.details ?? {}
    this.conflicts = conflictsIn(status)
  }
}

/** The error of a response that is not 2xx; `doing` completes the sentence "failed to …". */
export function errorOf(doing: string, response: KubeResponse): KubeError {
  const body = response.body
  const retryAfterMs = retryAfterIn(response.headers)
  if (isStatus(body)) return new KubeError(doing, { ...body, code: response.status }, retryAfterMs)
  const text = typeof body === 'string' ? body.trim().slice(0, 300) : ''
  const message = `the API server answered ${response.status}${text === '' ? '' : `: ${text}`}`
  return new KubeError(doing, { code: response.status, message }, retryAfterMs)
}

const isStatus = (body: unknown): body is Status =>
  typeof body === 'object' && body !== null && (body as { kind?: unknown }).kind === 'Status'

/** At its place in the sentence of the API server: names and values in it may say anything. */
const OVER_QUOTA = /^(?:[\w.-]+(?: "(?:[^"\\]|\\.)*")? is forbidden: )?(?:exceeded|failed) quota: /

function codeOf({ code, reason, message = '', details }: Status & { readonly code: number }): Code {
  const causes = details?.causes ?? []
  if (/^admission webhook "[^"]+" denied the request/.test(message)) return 'KubeAdmissionDenied'
  switch (code) {
    case 400:
    case 413:
    case 422:
      return 'KubeInvalid'
    case 401:
      return 'KubeUnauthorized'
    case 403:
      if (causes.some((cause) => cause.reason === 'NamespaceTerminating')) return 'KubeNamespaceTerminating'
      return OVER_QUOTA.test(message) ? 'KubeQuotaExceeded' : 'KubeForbidden'
    case 404:
      return 'KubeNotFound'
    case 409:
      if (reason === 'AlreadyExists') return 'KubeAlreadyExists'
      return causes.some((cause) => cause.reason === 'FieldManagerConflict') ? 'KubeFieldConflict' : 'KubeConflict'
    case 410:
      return 'KubeExpired'
    case 429:
      return 'KubeBusy'
    default:
      return code >= 500 ? 'KubeServerError' : 'KubeRefused'
  }
}

/** The server names the other manager only in the message: `conflict with "kubectl" with subresource "status" using apps/v1`. */
function conflictsIn({ details }: Status): FieldConflict[] {
  return (details?.causes ?? [])
    .filter((cause) => cause.reason === 'FieldManagerConflict')
    .map((cause) => {
      const [, manager = 'unknown', subresource] =
        /conflict with "([^"]+)"(?: with subresource "([^"]+)")?/.exec(cause.message ?? '') ?? []
      return { field: cause.field ?? '', manager, subresource }
    })
}

const answered = (error: unknown, status: number): error is KubeError =>
  error instanceof KubeError && error.status === status

export const isNotFound = (error: unknown): error is KubeError => answered(error, 404)
export const isForbidden = (error: unknown): error is KubeError => answered(error, 403)
export const isGone = (error: unknown): error is KubeError => answered(error, 410)
export const isInvalid = (error: unknown): error is KubeError => answered(error, 422) || answered(error, 400)
export const isAlreadyExists = (error: unknown): error is KubeError =>
  answered(error, 409) && error.reason === 'AlreadyExists'
/** The object changed since it was read, or another manager owns an applied field (see `conflicts`). */
export const isConflict = (error: unknown): error is KubeError =>
  answered(error, 409) && error.reason !== 'AlreadyExists'
