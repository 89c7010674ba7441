import { failureOf } from '../../../kernel/index.ts'
import { KubeError, type StatusCause } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { isStale } from '../fence.ts'

/** The reason stands behind the value, which may be a tenant's and say anything. */
const isImmutable = ({ message = '' }: StatusCause): boolean =>
  /^Forbidden: (?:field is immutable|updates to statefulset spec for fields other than|spec is immutable after creation)/.test(
    message,
  ) || message.endsWith(': field is immutable')

/** The client tells in general terms what an app can be told more exactly. */
export function inOurWords(error: unknown): unknown {
  if (!(error instanceof KubeError)) return error
  const { code, message } = failureOf(error)
  const { causes = [] } = error.details
  if (isStale(error)) return raise.StaleFence(message, { cause: error })
  if (causes.some(isImmutable)) return raise.FieldImmutable(message, { cause: error })
  switch (code) {
    case 'KubeInvalid':
      return raise.ObjectInvalid(message, { cause: error })
    case 'KubeQuotaExceeded':
      return raise.QuotaExceeded(message, { cause: error })
    case 'KubeAdmissionDenied':
      return raise.AdmissionRefused(message, { cause: error })
    case 'KubeForbidden':
      return raise.HelmForbidden(message, { cause: error })
    default:
      return error
  }
}

const REFUSALS: ReadonlySet<string> = new Set([
  'FieldImmutable',
  'ObjectInvalid',
  'QuotaExceeded',
  'AdmissionRefused',
  'HelmForbidden',
])

/**
 * Why the API server does not take an object as it is; `undefined` when the error says nothing about the object. A webhook
 * that does not answer is an internal error of the server.
 */
export function refusalOf(error: unknown): string | undefined {
  const { code, message } = failureOf(inOurWords(error))
  if (REFUSALS.has(code)) return message
  return error instanceof KubeError && error.status === 500 ? message : undefined
}
