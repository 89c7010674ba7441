import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { failureOf, type Masker } from '../../../kernel/index.ts'
import type { Discovery, KubeObject } from '../../../kube/index.ts'
import { objectName } from '../drift/diff-objects.ts'
import { groupOf } from '../drift/ignore-rules.ts'
import { contentsOf, type ChartContents, type DefinedKind } from '../helm/chart-contents.ts'
import { offerOf, type GrantOffer } from '../grants/offer.ts'
import type { Chart, Helm, ReleaseTarget } from '../helm/port.ts'
import { checkRelease, checkSettings, userPartOf } from '../schema/user-part.ts'
import type { Template } from '../types.ts'
import { isJsonArray, isJsonObject, readAt, type Json, type JsonObject } from '../values/json.ts'
import { masker } from '../values/redaction.ts'
import { secretsOfRelease } from '../values/secrets.ts'
import { releaseValues, systemValues, userDefaults } from '../values/values.ts'
import { ruleFindings } from './ignore-rules.ts'
import type { Finding, FindingCode, Inspection } from './inspection.ts'
import { SAMPLE_DEPLOYMENT, SAMPLE_DOMAIN, sampleSettings } from './sample.ts'
import { isBuiltIn, scopeOf } from './kind-scope.ts'
import { switchesIn, switched, switchText } from './switches.ts'

/** What charts are tried with. */
export interface Trial {
  readonly helm: Pick<Helm, 'render'>
  /** Which kinds the control plane has. It is asked for nothing else. */
  readonly discovery: Pick<Discovery, 'resourceFor' | 'all'>
  readonly ingressClass: string
}

export type Tried = Pick<Template, 'defaultValues' | 'overrides' | 'valuesSchema' | 'layout'> &
  Partial<Pick<Template, 'driftIgnore'>>

const TARGET = { namespace: SAMPLE_DEPLOYMENT.namespaceName, release: SAMPLE_DEPLOYMENT.deploymentUid } as const
/** What is in objects that depend on the order. */
const ORDERED = [SAMPLE_DOMAIN, SAMPLE_DEPLOYMENT.id] as const

/** Renders `template` for a sample order and tells what would become of it. Writes nothing. */
export async function inspectTemplate(
  { helm, discovery, ingressClass }: Trial,
  template: Tried,
  chart: Chart,
  signal?: AbortSignal,
): Promise<Inspection> {
  const contents = await contentsOf(await readFile(chart.archive))
  // A control plane that is away is no fault of the chart.
  const served = await discovery.all().catch(() => undefined)
  const kinds = served === undefined ? undefined : discovery
  const part = userPartOf(template)
  const userValues = sampleSettings(
    part.valuesSchema ?? {},
    readAt(part.valuesSchema ?? {}, '/properties/user'),
    userDefaults(part.defaultValues),
  )
  const system = systemValues(SAMPLE_DEPLOYMENT, ingressClass, template.layout)
  const { given, effective } = releaseValues(template, { userValues, system })
  const mask = masker(secretsOfRelease(template.valuesSchema, effective, {}))
  const unfit = checkRelease(template, effective, system).filter(({ field }) => !field.startsWith('/user'))
  const isSampled = checkSettings(template, userValues).length === 0
  const apiVersions = [
    ...new Set(
      served?.flatMap(({ group, version, kind }) => {
        const apiVersion = group === '' ? version : `${group}/${version}`
        return [apiVersion, `${apiVersion}/${kind}`]
      }),
    ),
  ]
  const renderAs = (target: ReleaseTarget, values: JsonObject): Promise<readonly KubeObject[]> =>
    helm.render(target, chart, values, signal, { mask, alone: { apiVersions } })
  const render = (values: JsonObject): Promise<readonly KubeObject[]> => renderAs(TARGET, values)
  const renderNamed = (release: string): Promise<readonly KubeObject[]> => {
    const named = { ...SAMPLE_DEPLOYMENT, deploymentUid: release, namespaceName: release }
    const values = releaseValues(template, { userValues, system: systemValues(named, ingressClass, template.layout) })
    return renderAs({ namespace: release, release }, values.given)
  }

  const findings: Finding[] = [
    ...contents.missingDependencies.map((name) =>
      problem('DependencyMissing', `Chart.yaml names ${name}, which is not in charts/ of the archive`),
    ),
    ...unfit.map(({ field, message }) => problem('DefaultsUnfit', mask(`${field} ${message}`))),
  ]
  const rendered = await attempt(() => render(given), mask, signal)
  if ('failed' in rendered) {
    const severity = isSampled ? 'problem' : 'warning'
    if (contents.missingDependencies.length === 0)
      findings.push({ ...problem('NotRendered', rendered.failed), severity })
    const customKinds = unique(contents.definedKinds)
    return { findings, objects: [], domainAt: [], recordBytes: null, customKinds }
  }
  const { objects } = rendered
  const refused = await Promise.all(objects.map((object) => refusalOf(object, kinds)))
  const refusals = refused.flat()
  const offers = refusals.length === 0 ? undefined : await offersFor(objects, renderNamed, chart.name)
  const off = await switchesFor(refusals, effective, given, render, kinds, signal)
  findings.push(
    ...refused.flatMap((found, index) =>
      found.map((one) => ({
        ...one,
        switchedOffBy: off.get(one.object ?? '') ?? [],
        grant: one.grant ?? offers?.(index) ?? NOT_TRIED,
      })),
    ),
  )
  const customKinds = unique([
    ...contents.definedKinds,
    ...objects.filter(({ apiVersion }) => !isBuiltIn(apiVersion)).map(({ apiVersion, kind }) => ({ apiVersion, kind })),
  ])
  if (kinds !== undefined) findings.push(...(await missingKinds(customKinds, kinds, contents)))
  const brought = contents.definedKinds.map(({ apiVersion, kind }) => ({ group: groupOf({ apiVersion }), kind }))
  findings.push(...ruleFindings(template.driftIgnore ?? [], objects, served && [...served, ...brought]))
  const recordBytes = recordSize(contents, objects, given)
  findings.push(...sizeFindings(recordBytes))
  const domainAt = objects.flatMap(placesOfDomain).slice(0, MOST_PLACES)
  if (domainAt.length === 0) {
    const perhaps = hostValues(effective, objects)
    const hint = perhaps.length === 0 ? 'which value takes it' : `that it goes to ${perhaps.join(' or ')}`
    findings.push(
      warning('DomainNowhere', `the ordered domain appears nowhere in the manifest: say with domain_paths ${hint}`),
    )
  }
  return {
    findings: findings.slice(0, MOST_FINDINGS),
    objects: objects.map(nameOf).slice(0, MOST_OBJECTS),
    domainAt,
    recordBytes,
    customKinds: customKinds.slice(0, MOST_OBJECTS),
  }
}

/** All of it is read with every row of the template. */
const MOST_PLACES = 50
const MOST_FINDINGS = 200
const MOST_OBJECTS = 500
/** For trying switches. The request that publishes waits for it. */
const PATIENCE_MS = 20_000

const problem = (code: FindingCode, message: string, object: string | null = null): Finding => ({
  code,
  severity: 'problem',
  message,
  object,
  switchedOffBy: [],
})

const warning = (code: FindingCode, message: string): Finding => ({ ...problem(code, message), severity: 'warning' })

const nameOf = (object: KubeObject): string => objectName(object as unknown as JsonObject)

async function attempt(
  render: () => Promise<readonly KubeObject[]>,
  mask: Masker,
  signal?: AbortSignal,
): Promise<{ readonly objects: readonly KubeObject[] } | { readonly failed: string }> {
  try {
    return { objects: await render() }
  } catch (error) {
    if (signal?.aborted) throw error
    const { code, message } = failureOf(error)
    // What Helm says has no cause of ours: with one, it did not run, which says nothing about the chart.
    if (code === 'Unexpected' || (error instanceof Error && error.cause !== undefined)) throw error
    return { failed: mask.excerpt(message) }
  }
}

/** Why a release may not create it. */
async function refusalOf(object: KubeObject, kinds: Trial['discovery'] | undefined): Promise<Finding[]> {
  const name = nameOf(object)
  if (object.kind === 'Namespace' && object.apiVersion === 'v1') {
    return [problem('ObjectRefused', 'a release has one namespace, which the platform makes', name)]
  }
  if ((await scopeOf(object, kinds)) === 'cluster') {
    return [problem('ObjectRefused', `${object.kind} belongs to the whole cluster, not to one tenant`, name)]
  }
  const { namespace } = object.metadata
  if (namespace !== undefined && namespace !== TARGET.namespace) {
    const refusal = problem('ObjectRefused', `it is for namespace ${namespace}, which is not the release's own`, name)
    return [{ ...refusal, grant: { grantable: false, because: 'it is in a namespace of somebody else' } }]
  }
  return []
}

const NOT_TRIED: GrantOffer = { grantable: false, because: 'the chart does not render for every name of a release' }

/** Helm's limit. */
const LONGEST_RELEASE = 53

/** Whether the object at an index can be granted; `undefined` when the chart does not render under another name. */
async function offersFor(
  objects: readonly KubeObject[],
  renderNamed: (release: string) => Promise<readonly KubeObject[]>,
  chartName: string,
): Promise<((index: number) => GrantOffer) | undefined> {
  const sampleOf = async (release: string) => ({ release, objects: await renderNamed(release) })
  const { release } = TARGET
  try {
    const [again, renamed, longest] = await Promise.all([
      sampleOf(release),
      sampleOf(`sample-${chartName}-order`.slice(0, LONGEST_RELEASE)),
      sampleOf(release.padEnd(LONGEST_RELEASE, 'x')),
    ])
    return (index) => offerOf(index, { first: { release, objects }, again, renamed, longest }, ORDERED)
  } catch {
    return undefined
  }
}

/** Which values make which refused objects disappear, found by rendering with each. */
async function switchesFor(
  refusals: readonly Finding[],
  effective: JsonObject,
  given: JsonObject,
  render: (values: JsonObject) => Promise<readonly KubeObject[]>,
  kinds: Trial['discovery'] | undefined,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  if (refusals.length === 0) return found
  const until = Date.now() + PATIENCE_MS
  for (const one of switchesIn(effective)) {
    signal?.throwIfAborted()
    if (Date.now() > until) break
    const objects = await render(switched(given, one)).catch(() => undefined)
    if (objects === undefined) continue
    const left = new Set(
      (await Promise.all(objects.map((object) => refusalOf(object, kinds)))).flat().map(({ object }) => object),
    )
    for (const { object } of refusals) {
      if (object !== null && !left.has(object)) found.set(object, [...(found.get(object) ?? []), switchText(one)])
    }
  }
  return found
}

async function missingKinds(
  wanted: readonly DefinedKind[],
  kinds: Trial['discovery'],
  { definedKinds }: ChartContents,
): Promise<Finding[]> {
  const missing = await Promise.all(
    wanted.map(async (one) => ((await kinds.resourceFor(one.apiVersion, one.kind)) === undefined ? [one] : [])),
  )
  return missing.flat().map(({ apiVersion, kind }) => {
    const isBrought = definedKinds.some((one) => one.kind === kind && one.apiVersion === apiVersion)
    return warning(
      'KindMissing',
      `${kind} of ${apiVersion} is unknown to the control plane: ${isBrought ? 'install the definitions in crds/ of the chart with `caelus install-crds`' : 'install its definition'}; until then it cannot be ordered`,
    )
  })
}

const unique = (kinds: readonly DefinedKind[]): DefinedKind[] =>
  [...new Map(kinds.map((one) => [`${one.apiVersion}/${one.kind}`, one])).values()].toSorted((a, b) =>
    a.kind < b.kind ? -1 : 1,
  )

/** What the API server stores in one Secret. */
const LARGEST_RECORD = 1024 ** 2

/** Helm keeps chart, values and manifest, gzipped and then as base64. */
function recordSize({ kept }: ChartContents, objects: readonly KubeObject[], given: JsonObject): number {
  const chart = kept.map(({ name, content }) => ({ name, data: content.toString('base64') }))
  return Math.ceil(gzipSync(JSON.stringify({ chart, config: given, manifest: JSON.stringify(objects) })).length / 3) * 4
}

function sizeFindings(bytes: number): Finding[] {
  const said = `the record that Helm keeps of each revision takes about ${Math.round(bytes / 1024)} KiB; the API server stores 1024 KiB`
  if (bytes > LARGEST_RECORD) return [problem('RecordTooLarge', said)]
  return bytes > 0.75 * LARGEST_RECORD ? [warning('RecordLarge', said)] : []
}

/** Values that became the host of an Ingress: most likely where the domain should go. */
function hostValues(values: JsonObject, objects: readonly KubeObject[]): string[] {
  const hosts = new Set(
    objects.filter(({ kind }) => kind === 'Ingress').flatMap((object) => hostsIn(object as unknown as JsonObject)),
  )
  const visit = (value: Json, path: string): string[] => {
    if (typeof value === 'string') return hosts.has(value) ? [path] : []
    if (isJsonArray(value)) return value.flatMap((item, index) => visit(item, `${path}[${index}]`))
    if (!isJsonObject(value)) return []
    return Object.entries(value).flatMap(([key, inner]) => {
      const name = key.replaceAll('.', String.raw`\.`)
      return visit(inner, path === '' ? name : `${path}.${name}`)
    })
  }
  return visit(values, '').slice(0, MOST_HINTS)
}

const MOST_HINTS = 5

function hostsIn(ingress: JsonObject): Json[] {
  const rules = readAt(ingress, '/spec/rules')
  return isJsonArray(rules) ? rules.flatMap((rule) => readAt(rule, '/host') ?? []) : []
}

/** `Ingress/web spec.rules[0].host`. */
function placesOfDomain(object: KubeObject): string[] {
  const isSecret = object.kind === 'Secret'
  const visit = (value: Json, path: string): string[] => {
    if (typeof value === 'string') {
      const isThere = value.includes(SAMPLE_DOMAIN) || (isSecret && decoded(value).includes(SAMPLE_DOMAIN))
      return isThere ? [`${nameOf(object)} ${path}`] : []
    }
    if (isJsonArray(value)) return value.flatMap((item, index) => visit(item, `${path}[${index}]`))
    if (!isJsonObject(value)) return []
    return Object.entries(value).flatMap(([key, inner]) => visit(inner, path === '' ? key : `${path}.${key}`))
  }
  return visit(object as unknown as Json, '')
}

const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8')
