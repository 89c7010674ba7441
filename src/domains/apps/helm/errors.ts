import type { FailureError, Masker } from '../../../kernel/index.ts'
import { raise, type AppFailureCode } from '../failures.ts'
import type { Diagnostics } from '../observed.ts'

/**
 * What Helm (4 and 3) and the API server behind it say, most telling first: quota and policy refusals are also "forbidden",
 * a failed hook also ends in a deadline, and a chart that cannot be fetched also fails to dial.
 */
const SAYINGS: readonly (readonly [AppFailureCode, RegExp])[] = [
  ['StaleFence', /stale fence/i],
  ['ReleasePending', /another operation \(install\/upgrade\/rollback\) is in progress|name that is still in use/i],
  [
    'ControlPlaneUnreachable',
    /kubernetes cluster unreachable|etcdserver: (?!request is too large)|"https?:\/\/[^"]+\/(?:apis?[/?][^"]*|openapi\/[^"]*|version(?:\?[^"]*)?)": (?:dial|read|write|EOF|unexpected EOF|net|http2?:|tls)|http2: (?:client connection lost|server sent GOAWAY)|stream error: stream ID|unexpected error when reading response body|unable to return a response in the time allotted|apiserver not ready|currently unable to handle the request|apiserver is shutting down/i,
  ],
  ['DigestMismatch', /digest mismatch|mismatched digest|digest does not match/i],
  [
    'ChartForbidden',
    /status code 40[13]\b|: 40[13] (?:unauthorized|forbidden)|credential not found|failed to authorize|authentication required|requested access to the resource is denied/i,
  ],
  [
    'ChartMissing',
    /path "[^"]*" not found|on source: \S+: not found|chart "[^"]*" .*not found|failed to fetch \S+ : 404|manifest unknown|^\S+\/\S+:[\w.+-]+: not found|failed to download "[^"]*" at version/im,
  ],
  [
    'ChartUnreachable',
    /"FetchReference" on source|"(?:Push|Copy)" on|failed to fetch \S+ :|cannot be reached|failed to do request|dial tcp|no such host/i,
  ],
  ['SchemaViolation', /values don't meet the specifications of the schema/i],
  ['KindUnknown', /no matches for kind/i],
  ['ReleaseTooLarge', /request is too large|request entity too large|must have at most 1048576/i],
  ['ObjectTaken', /invalid ownership metadata|cannot be imported into the current release/i],
  ['OwnershipConflict', /apply failed with \d+ conflict|conflict occurred while applying/i],
  ['NamespaceTerminating', /because it is being terminated/i],
  ['QuotaExceeded', /exceeded quota|failed quota/i],
  [
    'AdmissionRefused',
    /admission webhook "[^"]+" denied|validatingadmissionpolicy '[^']+' .*denied|violates PodSecurity/i,
  ],
  [
    'FieldImmutable',
    /field is immutable|updates to statefulset spec for fields other than|spec is immutable after creation/i,
  ],
  [
    'HookFailed',
    /(?:pre|post)-(?:install|upgrade|rollback|delete) hooks? failed|failed (?:pre|post)-(?:install|upgrade|rollback|delete)/i,
  ],
  [
    'ObjectInvalid',
    /\bis invalid: |error validating data|strict decoding error|unknown field "|field not declared in schema/i,
  ],
  ['HelmForbidden', /is forbidden: user "/i],
  [
    'ChartInvalid',
    /execution error at|nil pointer evaluating|YAML parse error|parse error at|error calling|executing "[^"]+" at|Chart\.yaml file is missing|chart\.metadata|missing in charts\/ directory/i,
  ],
  // Helm stops waiting before its deadline when its watches break: it knows the status of nothing.
  [
    'ControlPlaneUnreachable',
    /^(?!.*not ready\. status: (?!Unknown\b))(?!.*context deadline exceeded).*not ready\. status: Unknown\b/is,
  ],
  ['NeverHealthy', /not ready\. status: |timed out waiting for the condition|context deadline exceeded/i],
]

const LONGEST = 1_000

export interface HelmContext {
  /** What the pods said before anything was rolled back: it tells a deadline's reason. */
  readonly diagnostics?: Diagnostics
  /** Hides secrets: an API server repeats the value that it calls invalid. */
  readonly mask: Masker
}

/** The failure behind what Helm wrote to its standard error. */
export function classifyHelmError(stderr: string, { diagnostics, mask }: HelmContext): FailureError {
  const plain = complaintIn(stderr)
  const code = SAYINGS.find(([, saying]) => saying.test(plain))?.[0] ?? 'HelmFailed'
  // Masked while it is as Helm wrote it: joining lines and cutting would take secrets apart.
  const said = complaintIn(mask.excerpt(stderr))
  if (code === 'NeverHealthy' && diagnostics !== undefined) {
    return raise[diagnostics.code](`${diagnostics.message} (${said})`.slice(0, LONGEST))
  }
  return raise[code](said.slice(0, LONGEST))
}

/** From the last `Error:` on, in one line and without the words that only repeat which command it was. */
function complaintIn(stderr: string): string {
  const from = stderr.lastIndexOf('Error: ')
  const text = from < 0 ? stderr : stderr.slice(from + 'Error: '.length)
  const lines = text.split('\n').map((line) => line.trim())
  const said = lines.filter((line) => line !== '' && !line.startsWith('level=')).join(' ')
  return said.replace(/^(?:UPGRADE|INSTALLATION) FAILED: /, '') || 'helm failed and said nothing'
}
