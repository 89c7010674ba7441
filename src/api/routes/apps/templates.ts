import { Type } from 'typebox'
import { formOf, userPartOf, type JsonObject } from '../../../domains/apps/index.ts'
import type { App } from '../../app.ts'
import {
  ChartLocation,
  ChartView,
  DefinitionsInstall,
  DefinitionsView,
  GrantsCreate,
  type LayoutCreate,
  PageQuery,
  pageOf,
  TemplateCreate,
  TemplateFormView,
  TemplateView,
} from '../../contract/index.ts'
import type { LayoutInput } from '../../../domains/apps/usecases/index.ts'
import type { AppsParts } from './parts.ts'
import { chartView, formView, templateView } from './views.ts'
import { pageRequest } from '../../http/paging.ts'
import { Id, actorOf, pageView, whileConnected } from '../parts.ts'

const tags = ['apps']
const ofProduct = Type.Object({ id: Id })
const one = Type.Object({ id: Id, tid: Id })

const layoutInput = (layout: LayoutCreate): LayoutInput => ({
  domainPaths: layout.domain_paths,
  ingressClassPaths: layout.ingress_class_paths,
  caelusValues: layout.caelus_values,
  plan: layout.plan as JsonObject | undefined,
  userValues: layout.user_values,
})

const valuesInput = (body: Pick<TemplateCreate, 'default_values' | 'values_schema' | 'layout' | 'drift_ignore'>) => ({
  defaultValues: body.default_values as JsonObject | undefined,
  valuesSchema: body.values_schema as JsonObject | null | undefined,
  layout: body.layout && layoutInput(body.layout),
  driftIgnore: body.drift_ignore,
})

export function templateRoutes(app: App, { apps }: AppsParts): void {
  app.get(
    '/products/:id/templates',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listTemplates',
        tags,
        summary: 'The templates of a product, newest first',
        params: ofProduct,
        querystring: PageQuery,
        response: { 200: pageOf(TemplateView) },
      },
    },
    async (request) => {
      const { params, query } = request
      const actor = actorOf(request)
      const page = await apps.listTemplates(actor, params.id, pageRequest(query, 2))
      return pageView(page, (template) => templateView(template, actor))
    },
  )

  app.post(
    '/products/:id/templates',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'publishTemplate',
        tags,
        summary: 'Publish a chart as a template; what is left out is read from the chart',
        params: ofProduct,
        body: TemplateCreate,
        response: { 201: TemplateView },
      },
    },
    async (request, reply) => {
      const { body, params } = request
      const input = {
        productId: params.id,
        chartRef: body.chart_ref,
        chartVersion: body.chart_version,
        chartDigest: body.chart_digest,
        versionLabel: body.version_label,
        ...valuesInput(body),
        capabilities: body.capabilities as JsonObject | undefined,
        healthTimeoutSec: body.health_timeout_sec,
        grants: body.grants,
        acceptProblems: body.accept_problems,
        canonical: body.canonical,
      }
      const actor = actorOf(request)
      const template = await apps.publishTemplate(actor, input, whileConnected(reply))
      return reply.code(201).send(templateView(template, actor))
    },
  )

  app.get(
    '/products/:id/templates/:tid',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getTemplate',
        tags,
        summary: 'One template with its defaults and schema; for members, as far as its form shows them',
        params: one,
        response: { 200: TemplateView },
      },
    },
    async (request) => {
      const { id, tid } = request.params
      const actor = actorOf(request)
      return templateView(await apps.getTemplate(actor, tid, id), actor)
    },
  )

  app.delete(
    '/products/:id/templates/:tid',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'deleteTemplate',
        tags,
        summary: 'Delete a template that no deployment wants',
        params: one,
        response: { 204: Type.Null({ description: 'Done.' }) },
      },
    },
    async (request, reply) => {
      const { id, tid } = request.params
      await apps.deleteTemplate(actorOf(request), tid, id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/products/:id/templates/:tid/grants',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'grantTemplate',
        tags,
        summary: 'Let releases of a template have objects of the whole cluster, exactly as its inspection shows them',
        params: one,
        body: GrantsCreate,
        response: { 200: TemplateView },
      },
    },
    async (request) => {
      const { id: productId, tid: id } = request.params
      const actor = actorOf(request)
      return templateView(await apps.grantTemplate(actor, { id, productId }, request.body.grants), actor)
    },
  )

  app.delete(
    '/products/:id/templates/:tid/grants/:gid',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'revokeTemplateGrant',
        tags,
        summary: 'Revoke a grant: what releases have of it stays, and their next change is refused',
        params: Type.Object({ id: Id, tid: Id, gid: Id }),
        response: { 204: Type.Null({ description: 'Done.' }) },
      },
    },
    async (request, reply) => {
      const { id: productId, tid: id, gid } = request.params
      await apps.revokeTemplateGrant(actorOf(request), { id, productId }, gid)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/products/:id/templates/:tid([^:]+)::install-crds',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'installTemplateDefinitions',
        tags,
        summary: 'Install the custom resource definitions of a chart in the control plane: all of them or none',
        params: one,
        body: DefinitionsInstall,
        response: { 200: DefinitionsView },
      },
    },
    async (request, reply) => {
      const { id: productId, tid: id } = request.params
      const options = { dryRun: request.body.dry_run ?? false }
      const signal = whileConnected(reply)
      const changes = await apps.installTemplateDefinitions(actorOf(request), { id, productId }, options, signal)
      return {
        definitions: changes.map(({ name, is: change, versions }) => ({ name, change, versions: [...versions] })),
      }
    },
  )

  app.get(
    '/templates/:tid/form',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getTemplateForm',
        tags,
        summary: 'The fields of a template that a person can fill in',
        params: Type.Object({ tid: Id }),
        response: { 200: TemplateFormView },
      },
    },
    async (request) => formView(formOf(userPartOf(await apps.getTemplate(actorOf(request), request.params.tid)))),
  )

  app.post(
    '/charts::inspect',
    {
      config: { access: 'admin', idempotent: false },
      schema: {
        operationId: 'inspectChart',
        tags,
        summary: 'What a template of a chart would be made of, and what an order of it would make; nothing is stored',
        body: ChartLocation,
        response: { 200: ChartView },
      },
    },
    async (request, reply) => {
      const { chart_ref: ref, chart_version: version, ...body } = request.body
      const input = { ref, version, digest: null, ...valuesInput(body) }
      return chartView(await apps.inspectChart(actorOf(request), input, whileConnected(reply)))
    },
  )
}
