import type { FailureError, Masker } from '../../../kernel/index.ts'
import { raise, type AppFailureCode } from '../failures.ts'
import { STALE_REFUSAL } from '../fence-policy.ts'
import type { Diagnostics } from '../observed.ts'

/*
 * What Helm (4 and 3) and the API server behind it say. Values of tenants end up in these texts: quoted by the API server,
 * in the words of a chart's `fail`, as names and keys. So nothing is searched for. A text is read from its beginning, as
 * Helm composes it: wrappers, of which each is taken off, and then the first that is known decides. What a value says
 * stands behind that.
 */

/** As Go quotes a text. */
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`
/** A text that may begin with capitals, or not, such as `[` before a list of errors. */
const begins = (pattern: string): RegExp => new RegExp(`^(?:${pattern})`, 'i')

/** Around the sentence that tells; names are ours, Helm's, or quoted. */
const WRAPPERS: readonly RegExp[] = [
  String.raw`release \S+ failed, and has been (?:uninstalled|rolled back) due to (?:atomic|rollback-on-failure) being set: `,
  String.raw`could not get information about the resource [\w.]+ ${QUOTED} in namespace ${QUOTED}: `,
  String.raw`cannot patch ${QUOTED} with kind [\w.]+: `,
  String.raw`(?:unable to recognize|error validating) ${QUOTED}: `,
  String.raw`failed to install CRD \S+: `,
  // The name is not quoted: one that ends this wrapper itself is followed by the true end.
  String.raw`server-side apply failed for object [^\s"]+ [\w.-]*/\w+, Kind=\w+: (?=failed to create typed patch object|(?![^]*, Kind=))`,
  // Prose of Helm's, such as `INSTALLATION FAILED: ` and `create: failed to create: `.
  String.raw`[a-z][a-z .,-]{0,120}: `,
].map(begins)

/** Charts come from our own cache, so that Helm seldom says these. */
const OF_CHARTS: readonly (readonly [AppFailureCode, RegExp])[] = (
  [
    ['DigestMismatch', String.raw`(?:GET ${QUOTED}: )?(?:invalid response; )?(?:digest mismatch|mismatched digest)`],
    [
      'ChartForbidden',
      String.raw`GET ${QUOTED}: (?:basic credential not found|response status code 40[13]\b)|failed to authorize|authentication required`,
    ],
    [
      'ChartMissing',
      String.raw`path ${QUOTED} not found|chart ${QUOTED} (?:version ${QUOTED} )?not found|failed to fetch \S+ : 404|(?:failed to perform "[a-z]+" on [a-z]+: )?[^\s:"/]+(?::\d+)?(?:/[^\s:"/]+)+:[\w.+-]+: not found|failed to download ${QUOTED} at version`,
    ],
    [
      'ChartUnreachable',
      String.raw`[a-z]+ "https?://[^"]*": (?:dial|read|write|EOF|unexpected EOF|net|http2?:|tls|response status)|failed to fetch \S+ :|failed to do request`,
    ],
  ] as const
).map(([code, pattern]) => [code, begins(`(?:failed to perform "[a-z]+" on [a-z]+: )?(?:${pattern})`)])

/** The field and its value, then the reason: both may be a tenant's, and neither holds a space outside of quotes. */
const IMMUTABLE = String.raw`[^\s"]+: (?:Forbidden|Invalid value: (?:${QUOTED}|[^":{]*|\{(?:[^"]|${QUOTED})*?\})): (?:field is immutable|updates to statefulset spec for fields other than|spec is immutable after creation)`

/** Sentences of the API server about one object: who it is, then what was wrong. */
const ABOUT = String.raw`[\w.-]+(?: ${QUOTED})? is `

const SAYINGS: readonly (readonly [AppFailureCode, RegExp])[] = [
  ['StaleFence', begins(`${ABOUT}forbidden: ${STALE_REFUSAL}`)],
  ['QuotaExceeded', begins(`${ABOUT}forbidden: (?:exceeded|failed) quota`)],
  [
    'NamespaceTerminating',
    begins(String.raw`${ABOUT}forbidden: unable to create new content in namespace \S+ because it is being terminated`),
  ],
  [
    'AdmissionRefused',
    begins(
      `${ABOUT}forbidden: (?:ValidatingAdmissionPolicy '|violates PodSecurity)|admission webhook ${QUOTED} denied the request`,
    ),
  ],
  ['HelmForbidden', begins(`${ABOUT}forbidden: (?:User "|a release reaches)`)],
  [
    'ReleaseTooLarge',
    begins(
      String.raw`Secret "sh\.helm\.release\.v1\.[^"]*" is invalid: data: Too long: |etcdserver: request is too large|request entity too large`,
    ),
  ],
  ['FieldImmutable', begins(`${ABOUT}invalid: \\[?${IMMUTABLE}`)],
  [
    'ObjectInvalid',
    begins(
      `${ABOUT}invalid: |error validating data|strict decoding error|failed to create typed patch object \\(|[\\w.]+ in version ${QUOTED} cannot be handled as a`,
    ),
  ],
  [
    'ReleasePending',
    /^another operation \(install\/upgrade\/rollback\) is in progress|^cannot re-?use a name that is still/i,
  ],
  [
    'ControlPlaneUnreachable',
    begins(
      String.raw`kubernetes cluster unreachable|etcdserver: |[a-z]+ "https?://[^/"]+/(?:apis?[/?]|openapi/|version\b)[^"]*": (?:dial|read|write|EOF|unexpected EOF|net|http2?:|tls)|http2: (?:client connection lost|server sent GOAWAY)|stream error: stream ID|unexpected error when reading response body|the server was unable to return a response in the time allotted|an error on the server \("(?:apiserver not ready|apiserver is shutting down)|the server is currently unable to handle the request|apiserver not ready|apiserver is shutting down`,
    ),
  ],
  ['SchemaViolation', /^values don't meet the specifications of the schema/i],
  ['KindUnknown', /^\[?(?:resource mapping not found for name: |no matches for kind )/i],
  ['ObjectTaken', begins(`[\\w.]+ ${QUOTED} in namespace ${QUOTED} exists and cannot be imported`)],
  ['OwnershipConflict', /^conflict occurred while applying object |^apply failed with \d+ conflict/i],
  [
    'ChartInvalid',
    /^execution error at \(|^template: |^parse error |^YAML parse error |^error (?:converting|unmarshaling) |^chart\.yaml file is missing|^validation: chart|^chart\.metadata|^an error occurred while checking for chart dependencies|^found in chart\.yaml|^[^\s":]+\.\w+:\d+:\d+\b/i,
  ],
  [
    'NeverHealthy',
    /^resource \S+ not ready\. status: |^timed out waiting for the condition|^context deadline exceeded/i,
  ],
  ...OF_CHARTS,
]

/** What a hook was refused for says more than that it failed; the rest does not. */
const HOOK =
  /^(?:(?:pre|post)-(?:install|upgrade|rollback|delete) hooks? failed|failed (?:pre|post)-(?:install|upgrade|rollback|delete)|(?:warning: )?hook \S+ \S+ failed): /i
const TELLING_OF_HOOKS: ReadonlySet<AppFailureCode> = new Set([
  'StaleFence',
  'QuotaExceeded',
  'NamespaceTerminating',
  'AdmissionRefused',
  'ControlPlaneUnreachable',
  'FieldImmutable',
])

/** `complaint`: lines as Helm wrote them, without `Error: `. */
function codeOf(complaint: string): AppFailureCode {
  let rest = complaint
  for (let wrappers = 0; wrappers < MOST_WRAPPERS; wrappers++) {
    const hook = HOOK.exec(rest)
    if (hook !== null) {
      const code = codeOf(rest.slice(hook[0].length))
      return TELLING_OF_HOOKS.has(code) ? code : 'HookFailed'
    }
    const code = SAYINGS.find(([, saying]) => saying.test(rest))?.[0]
    if (code === 'NeverHealthy' && knowsNothing(rest)) return 'ControlPlaneUnreachable'
    if (code !== undefined) return code
    const wrapper = WRAPPERS.map((one) => one.exec(rest)?.[0]).find((found) => found !== undefined)
    if (wrapper === undefined) break
    rest = rest.slice(wrapper.length)
  }
  return 'HelmFailed'
}

const MOST_WRAPPERS = 8

/** Helm stops waiting before its deadline when its watches break: then it knows the status of nothing. */
function knowsNothing(complaint: string): boolean {
  const lines = complaint.split('\n').filter((line) => line !== '')
  return lines.every((line) => /^resource \S+ not ready\. status: Unknown\b/.test(line))
}

const LONGEST = 1_000

export interface HelmContext {
  /** What the pods said before anything was rolled back: it tells a deadline's reason. */
  readonly diagnostics?: Diagnostics
  /** Hides secrets: an API server repeats the value that it calls invalid. */
  readonly mask: Masker
}

/** The failure behind what Helm wrote to its standard error. */
export function classifyHelmError(stderr: string, { diagnostics, mask }: HelmContext): FailureError {
  const complaint = complaintIn(stderr)
  const code = codeOf(complaint)
  // Masked while it is as Helm wrote it: joining lines would take secrets apart.
  const said = inOneLine(mask.excerpt(complaint))
  if (code === 'NeverHealthy' && diagnostics !== undefined) {
    return raise[diagnostics.code](`${diagnostics.message} (${said})`.slice(0, LONGEST))
  }
  return raise[code](said.slice(0, LONGEST))
}

/** More than is shown, since a mask may be shorter than what it hides. */
const MOST_READ = 16_384

/** From the first line with `Error: ` on: Helm says it once, and values may say it again behind that. */
function complaintIn(stderr: string): string {
  const start = stderr.search(/^Error: /m)
  const from = start < 0 ? 0 : start + 'Error: '.length
  const text = stderr.slice(from, from + MOST_READ)
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('level='))
    .join('\n')
}

const inOneLine = (complaint: string): string =>
  complaint
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .replace(/^(?:UPGRADE|INSTALLATION) FAILED: /, '')
    .replace(/ Use --debug flag to render out invalid YAML$/, '') || 'helm failed and said nothing'
