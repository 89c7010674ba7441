import { Type } from 'typebox'
import type { AppliedPackage, Series } from '../../../domains/runtimes/usecases/index.ts'
import type { App } from '../../app.ts'
import {
  NfrHistoryView,
  PackageApply,
  PackageAppliedView,
  ExplanationView,
  RuntimePath,
  RuntimePreviewView,
  TimelineView,
  type NfrSeriesView,
} from '../../contract/index.ts'
import { ManifestBody, inputIn, type RuntimesParts } from './parts.ts'
import { UNITS } from './views.ts'
import { actorOf, explanationView, previewView, timelineView, whileConnected } from '../parts.ts'

const tags = ['runtimes']
const DEFAULT_NAMESPACE = 'default'
const DEFAULT_LIMIT = 100

/** What a change would do, why a runtime is as it is, what happened to it, and what packages become. */
export function runtimeInsightRoutes(app: App, { runtimes }: RuntimesParts): void {
  app.post(
    '/runtimes::preview',
    {
      config: { access: 'admin', idempotent: false },
      schema: {
        operationId: 'previewRuntime',
        tags,
        summary: 'Which children applying this would create, change and delete; nothing is saved',
        body: ManifestBody,
        response: { 200: RuntimePreviewView },
      },
    },
    async (request) => {
      const preview = await runtimes.preview(actorOf(request), inputIn(request.body))
      const { change, template, problems } = preview
      return {
        ...previewView(preview),
        change,
        template,
        problems: problems.map(({ field, message }) => ({ field, message })),
      }
    },
  )

  app.post(
    '/runtimes::apply-package',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'applyPackage',
        tags,
        summary: 'Turn the deployments of an OPackage into class runtimes',
        body: PackageApply,
        response: { 200: PackageAppliedView },
      },
    },
    async (request) => {
      const { package: source, environment, namespace = DEFAULT_NAMESPACE, dry_run: dryRun = false } = request.body
      const input = { source, environment, namespace, dryRun }
      const { written, skipped } = await runtimes.applyPackage(actorOf(request), input)
      return {
        items: written.map(writtenView),
        skipped: skipped.map(({ deploymentKey, because }) => ({ deployment_key: deploymentKey, because })),
      }
    },
  )

  app.get(
    '/runtimes/:namespace/:name/explain',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'explainRuntime',
        tags,
        summary: 'Why it is in this phase, what happens next and when, and whose move it is',
        params: RuntimePath,
        response: { 200: ExplanationView },
      },
    },
    async (request) => explanationView(await runtimes.explain(request.params)),
  )

  app.get(
    '/runtimes/:namespace/:name/timeline',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'timelineOfRuntime',
        tags,
        summary: 'Its audit log, decisions, events and phases, newest first',
        params: RuntimePath,
        querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }),
        response: { 200: TimelineView },
      },
    },
    async (request, reply) => {
      const { limit = DEFAULT_LIMIT } = request.query
      const entries = await runtimes.timeline(actorOf(request), request.params, limit, whileConnected(reply))
      return { items: entries.map(timelineView) }
    },
  )

  app.get(
    '/runtimes/:namespace/:name/nfr',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'nfrOfRuntime',
        tags,
        summary: 'Recommended, applied and live values over time, as this server saw them',
        params: RuntimePath,
        response: { 200: NfrHistoryView },
      },
    },
    async (request) => {
      const { since, series } = await runtimes.history(request.params)
      return { since: since === null ? null : new Date(since).toISOString(), series: series.map(seriesView) }
    },
  )
}

const writtenView = ({ runtime: { metadata }, change, deploymentKey }: AppliedPackage['written'][number]) => ({
  id: `${metadata.namespace}/${metadata.name}`,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  deployment_key: deploymentKey,
  change,
})

const seriesView = ({ functionKey, dimension, points }: Series): NfrSeriesView => ({
  function_key: functionKey,
  dimension,
  unit: UNITS[dimension],
  points: points.map(({ at, ...values }) => ({ at: new Date(at).toISOString(), ...values })),
})
