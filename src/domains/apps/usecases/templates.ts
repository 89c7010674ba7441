import { RefusedFields } from '../../../kernel/index.ts'
import { asUser, violates, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { formOf } from '../schema/form.ts'
import type { Chart, ChartLocation } from '../helm/port.ts'
import { valuesProblems } from '../schema/limits.ts'
import { checkSchema } from '../schema/schema.ts'
import {
  changeProduct,
  findProduct,
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
import { layoutFrom } from './layout.ts'
import type { ChartReport, TemplateInput } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

const HEALTH_TIMEOUT_SEC = 600

const objectOf = (id: string) => ({ kind: 'Template', id })

export async function inspectChart(
  { charts }: UseCaseDeps,
  actor: Actor,
  location: ChartLocation,
  signal?: AbortSignal,
): Promise<ChartReport> {
  needsAdmin(actor, 'look into charts')
  const chart = await charts.fetch(location, signal)
  return { chart, form: formOf(chart), problems: schemaProblems(chart) }
}

/** The chart is fetched before the transaction begins: no row is held while a registry thinks. */
export async function publishTemplate(
  { pool, charts }: UseCaseDeps,
  actor: Actor,
  input: TemplateInput,
  signal?: AbortSignal,
): Promise<Template> {
  needsAdmin(actor, 'publish templates')
  refuseUnstorable({ chart_ref: input.chartRef, version_label: input.versionLabel })
  await asUser(pool, actor, async (tx) => found(await findProduct(tx, input.productId), 'product', input.productId))
  const { chartRef: ref, chartVersion: version, chartDigest: digest = null } = input
  const unusable = valuesProblems(input.defaultValues ?? {}, 'default_values')
  if (unusable.length > 0) throw new RefusedFields(unusable)
  const template = templateFrom(input, await charts.fetch({ ref, version, digest }, signal))
  const problems = [
    ...valuesProblems(template.defaultValues, 'default_values'),
    ...valuesProblems(template.capabilities, 'capabilities'),
    ...schemaProblems(template),
  ]
  if (problems.length > 0) throw new RefusedFields(problems)
  return await asUser(pool, actor, async (tx) => {
    const product = found(await lockProduct(tx, input.productId), 'product', input.productId)
    const twin = await findTwin(tx, template)
    if (twin !== undefined) throw raise.TemplateExists(`template ${twin} of ${product.name} says exactly the same`)
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
    return published
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

/** `chartVersion` as the chart has it: what was asked for may have been a range or a tag. */
function templateFrom(input: TemplateInput, chart: Chart): NewTemplate {
  const overrides = overridesIn(input.defaultValues ?? {}, chart.defaultValues)
  const defaultValues = coalesce(chart.defaultValues, overrides)
  const valuesSchema = input.valuesSchema === undefined ? chart.valuesSchema : input.valuesSchema
  return {
    productId: input.productId,
    chartRef: input.chartRef,
    chartVersion: chart.version,
    chartDigest: chart.digest,
    versionLabel: input.versionLabel ?? null,
    defaultValues,
    overrides,
    valuesSchema,
    layout: layoutFrom(input.layout ?? {}, { valuesSchema, defaultValues }),
    capabilities: input.capabilities ?? {},
    healthTimeoutSec: input.healthTimeoutSec ?? HEALTH_TIMEOUT_SEC,
  }
}

const schemaProblems = ({ valuesSchema }: Pick<NewTemplate, 'valuesSchema'>): FieldProblem[] =>
  valuesSchema === null
    ? []
    : checkSchema(valuesSchema).map(({ field, message }) => ({ field: `values_schema${field}`, message }))
