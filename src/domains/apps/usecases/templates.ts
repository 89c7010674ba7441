import { failureOf, RefusedFields } from '../../../kernel/index.ts'
import { asUser, violates, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { ruleProblems } from '../drift/ignore-rules.ts'
import { formOf } from '../schema/form.ts'
import type { Chart } from '../helm/port.ts'
import { inspectTemplate } from '../inspection/inspect.ts'
import { problemsIn, type Finding, type Inspection } from '../inspection/inspection.ts'
import { isExcessive, valuesProblems } from '../schema/limits.ts'
import { checkSchema } from '../schema/schema.ts'
import { userPartOf } from '../schema/user-part.ts'
import type { JsonObject } from '../values/json.ts'
import {
  changeProduct,
  findProduct,
  findTemplate,
  findTwin,
  insertTemplate,
  lockProduct,
  lockTemplate,
  removeTemplate,
  type NewTemplate,
} from '../store/index.ts'
import type { FieldProblem, Template } from '../types.ts'
import { coalesce, overridesIn } from '../values/chart-defaults.ts'
import { found, needsAdmin, note, refuseUnstorable } from '../../../store/index.ts'
import { insertGrants, reviewed, ungranted } from './grants.ts'
import { layoutFrom } from './layout.ts'
import type { ChartReport, ChartTrialInput, TemplateInput } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

const HEALTH_TIMEOUT_SEC = 600

const objectOf = (id: string) => ({ kind: 'Template', id })

export async function inspectChart(
  deps: UseCaseDeps,
  actor: Actor,
  { ref, version, digest, ...input }: ChartTrialInput,
  signal?: AbortSignal,
): Promise<ChartReport> {
  needsAdmin(actor, 'look into charts')
  const chart = await deps.charts.fetch({ ref, version, digest }, signal)
  const { template, problems } = describe(input, chart)
  const { inspection, refused } = apart(problems.length === 0 ? await tryOut(deps, template, chart, signal) : null)
  const form = formOf(userPartOf(problems.length === 0 ? template : { ...template, valuesSchema: null }))
  return { chart, template: { ...template, inspection }, form, problems: [...problems, ...refused] }
}

/** The chart is fetched and tried before the transaction begins: no row is held while a registry or Helm thinks. */
export async function publishTemplate(
  deps: UseCaseDeps,
  actor: Actor,
  input: TemplateInput,
  signal?: AbortSignal,
): Promise<Template> {
  const { pool, charts } = deps
  needsAdmin(actor, 'publish templates')
  refuseUnstorable({ chart_ref: input.chartRef, version_label: input.versionLabel })
  await asUser(pool, actor, async (tx) => found(await findProduct(tx, input.productId), 'product', input.productId))
  const { chartRef: ref, chartVersion: version, chartDigest: digest = null } = input
  const chart = await charts.fetch({ ref, version, digest }, signal)
  const described = describe(input, chart)
  const capabilities = input.capabilities ?? {}
  const problems = [...described.problems, ...valuesProblems(capabilities, 'capabilities')]
  if (problems.length > 0) throw new RefusedFields(problems)
  const { inspection, refused } = apart(await tryOut(deps, described.template, chart, signal))
  if (refused.length > 0) throw new RefusedFields(refused)
  const grants = reviewed(inspection, input.grants ?? [])
  if (inspection !== null && input.acceptProblems !== true) refuseUnusable(chart, problemsIn(inspection, grants))
  const template: NewTemplate = {
    ...described.template,
    inspection,
    signedBy: chart.signedBy ?? null,
    capabilities,
    productId: input.productId,
    chartRef: input.chartRef,
    chartVersion: chart.version,
    chartDigest: chart.digest,
    versionLabel: input.versionLabel ?? null,
    healthTimeoutSec: input.healthTimeoutSec ?? HEALTH_TIMEOUT_SEC,
  }
  return await asUser(pool, actor, async (tx) => {
    const product = found(await lockProduct(tx, input.productId), 'product', input.productId)
    const twin = await findTwin(tx, template)
    // One that was granted less says something else: it may even be from before grants could be offered.
    if (twin !== undefined && ungranted(await findTemplate(tx, twin), grants).length === 0)
      throw raise.TemplateExists(`template ${twin} of ${product.name} says exactly the same`)
    const published = await insertTemplate(tx, template).catch((error: unknown) => {
      throw violates(error, 'product_template_version_label')
        ? labelTaken(product.name, template.versionLabel ?? '')
        : error
    })
    if (input.canonical === true) await changeProduct(tx, { ...product, templateId: published.id })
    await note(tx, actor, {
      action: 'published',
      object: objectOf(published.id),
      after: published,
      detail: { productId: product.id, chartVersion: published.chartVersion, chartDigest: published.chartDigest ?? '' },
    })
    await insertGrants(tx, actor, published, grants)
    return grants.length === 0 ? published : found(await findTemplate(tx, published.id), 'template', published.id)
  })
}

export async function deleteTemplate(
  { pool }: UseCaseDeps,
  actor: Actor,
  id: string,
  productId?: string,
): Promise<void> {
  needsAdmin(actor, 'delete templates')
  await asUser(pool, actor, async (tx) => {
    const before = await lockTemplate(tx, id)
    const isThere = productId === undefined || before?.productId === productId
    const template = found(isThere ? before : undefined, 'template', id)
    const product = await findProduct(tx, template.productId)
    if (product?.templateId === id) throw raise.TemplateInUse(`template ${id} is the canonical one of ${product.name}`)
    await removeTemplate(tx, id)
    await note(tx, actor, { action: 'deleted', object: objectOf(id), before: template })
  })
}

const labelTaken = (product: string, label: string): RefusedFields =>
  new RefusedFields(
    [{ field: 'version_label', message: 'belongs to another template' }],
    raise.TemplateExists(`${product} has a template labelled ${label} already`),
  )

type Described = Pick<NewTemplate, 'defaultValues' | 'overrides' | 'valuesSchema' | 'layout' | 'driftIgnore'>

/** What a template of the chart says about values and drift, and what is wrong with that. */
function describe(
  input: Pick<TemplateInput, 'defaultValues' | 'valuesSchema' | 'layout' | 'driftIgnore'>,
  chart: Chart,
): { readonly template: Described; readonly problems: readonly FieldProblem[] } {
  const written = input.defaultValues ?? {}
  const unusable = valuesProblems(written, 'default_values')
  const overrides = unusable.length > 0 ? {} : overridesIn(written, chart.defaultValues)
  const defaultValues = coalesce(chart.defaultValues, overrides)
  const declared = input.valuesSchema === undefined ? chart.valuesSchema : input.valuesSchema
  const unfit = schemaProblems(declared)
  const usable = unfit.length > 0 ? null : declared
  const { layout, problems } = layoutFrom(input.layout ?? {}, { valuesSchema: usable, defaultValues })
  const { driftIgnore = [] } = input
  // One that is too large or too deep is not shown either: everything that draws or masks it would walk through it.
  const valuesSchema = declared !== null && isExcessive(declared) ? null : declared
  return {
    template: { defaultValues, overrides, valuesSchema, layout, driftIgnore },
    problems: [
      ...(unusable.length > 0 ? unusable : valuesProblems(defaultValues, 'default_values')),
      ...unfit,
      ...problems,
      ...ruleProblems(driftIgnore),
    ],
  }
}

async function tryOut(
  { trial }: UseCaseDeps,
  template: Described,
  chart: Chart,
  signal?: AbortSignal,
): Promise<Inspection | null> {
  const tools = trial?.()
  if (tools === undefined) return null
  return await inspectTemplate(tools, template, chart, signal).catch((error: unknown) => {
    // Without a Helm nothing can be tried; that is the operator's to mend and stops no publisher.
    if (failureOf(error).code === 'HelmFailed') return null
    throw error
  })
}

/** What the publisher wrote and is wrong for this chart is no fault of the chart: it is refused as a field. */
function apart(tried: Inspection | null): {
  readonly inspection: Inspection | null
  readonly refused: readonly FieldProblem[]
} {
  const refused = (tried?.findings ?? []).filter(({ code }) => code === 'IgnoredKindUnknown')
  return {
    inspection: tried && { ...tried, findings: tried.findings.filter((one) => !refused.includes(one)) },
    refused: refused.map(({ field = 'drift_ignore', message }) => ({ field, message })),
  }
}

/** Told with the values that would help, object by object. */
function refuseUnusable({ name, version }: Chart, problems: readonly Finding[]): void {
  if (problems.length === 0) return
  const fields = problems.map(({ object, message, switchedOffBy, grant }) => {
    const gone = switchedOffBy.length === 0 ? '' : `; gone with ${switchedOffBy.join(' or ')}`
    const granted = grant?.grantable === true ? `; an admin can grant ${grant.kind}/${grant.name}` : ''
    return { field: object === null ? 'chart_ref' : `objects/${object}`, message: `${message}${gone}${granted}` }
  })
  throw new RefusedFields(fields, raise.TemplateUnusable(`every order of chart ${name} ${version} would fail`))
}

const schemaProblems = (valuesSchema: JsonObject | null): FieldProblem[] =>
  valuesSchema === null
    ? []
    : checkSchema(valuesSchema).map(({ field, message }) => ({ field: `values_schema${field}`, message }))
