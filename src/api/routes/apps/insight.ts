import { Type } from 'typebox'
import type { PreviewInputs } from '../../../domains/apps/usecases/index.ts'
import { found } from '../../../store/index.ts'
import type { App } from '../../app.ts'
import {
  DeploymentCreate,
  DeploymentPatch,
  ExplanationView,
  NotesView,
  PreviewView,
  ResourcesView,
  TimelineView,
} from '../../contract/index.ts'
import { changeIn, inputIn } from './deployments.ts'
import type { AppsParts } from './parts.ts'
import { Id, actorOf, explanationView, previewView, timelineView, whileConnected } from '../parts.ts'

const tags = ['apps']
const one = Type.Object({ id: Id, deployment_id: Id })

/** What a change would do, why it is as it is, what happened, what there is: for every deployment that one may see. */
export function insightRoutes(app: App, { apps, insight }: AppsParts): void {
  const previewOf = async (inputs: PreviewInputs, signal: AbortSignal): Promise<PreviewView> =>
    previewView(await insight.preview(inputs, signal))

  app.post(
    '/users/:id/deployments::preview',
    {
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'previewCreate',
        tags,
        summary: 'What ordering this would make; nothing is saved',
        params: Type.Object({ id: Id }),
        body: DeploymentCreate,
        response: { 200: PreviewView },
      },
    },
    async (request, reply) => {
      const inputs = await apps.previewCreate(actorOf(request), inputIn(request.params.id, request.body))
      return await previewOf(inputs, whileConnected(reply))
    },
  )

  app.post(
    '/users/:id/deployments/:deployment_id([^:]+)::preview',
    {
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'previewUpdate',
        tags,
        summary: 'The exact field changes that saving this would make; nothing is saved',
        params: one,
        body: DeploymentPatch,
        response: { 200: PreviewView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id: id } = request.params
      const inputs = await apps.previewUpdate(actorOf(request), { id, userId }, changeIn(request.body))
      return await previewOf(inputs, whileConnected(reply))
    },
  )

  app.get(
    '/users/:id/deployments/:deployment_id/explain',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'explainDeployment',
        tags,
        summary: 'Why it is as it is, what happens next and when, and whose move it is',
        params: one,
        response: { 200: ExplanationView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id } = request.params
      const { id } = await apps.getDeployment(actorOf(request), { id: deployment_id, userId })
      return explanationView(await insight.explain(id, whileConnected(reply)))
    },
  )

  app.get(
    '/users/:id/deployments/:deployment_id/timeline',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'timelineOfDeployment',
        tags,
        summary: 'What happened to it, newest first',
        params: one,
        querystring: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) }),
        response: { 200: TimelineView },
      },
    },
    async (request) => {
      const { id: userId, deployment_id: id } = request.params
      const entries = await apps.timeline(actorOf(request), { id, userId }, request.query.limit)
      return { items: entries.map(timelineView) }
    },
  )

  app.get(
    '/users/:id/deployments/:deployment_id/resources',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'resourcesOfDeployment',
        tags,
        summary: 'Its objects as they are in the control plane',
        params: one,
        response: { 200: ResourcesView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id } = request.params
      const { id } = await apps.getDeployment(actorOf(request), { id: deployment_id, userId })
      return { items: [...(await insight.resources(id, whileConnected(reply)))] }
    },
  )

  app.get(
    '/users/:id/deployments/:deployment_id/notes',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'notesOfDeployment',
        tags,
        summary: 'What its chart says to whoever installed it, of the revision that is deployed',
        params: one,
        response: { 200: NotesView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id: id } = request.params
      const inputs = await apps.releaseInputs(actorOf(request), { id, userId })
      const told = await insight.notes(inputs, whileConnected(reply))
      return { revision: told?.revision ?? null, notes: told?.text || null }
    },
  )

  for (const { part, operationId, summary } of DOWNLOADS) {
    app.get(
      `/users/:id/deployments/:deployment_id/${part}`,
      {
        config: { access: 'member' },
        schema: {
          operationId,
          tags,
          summary,
          params: one,
          response: {
            200: { description: 'The text.', content: { 'application/yaml': { schema: { type: 'string' } } } },
          },
        },
      },
      async (request, reply) => {
        const { id: userId, deployment_id: id } = request.params
        const inputs = await apps.releaseInputs(actorOf(request), { id, userId })
        const { releaseName } = inputs.deployment
        const { revision, text } = found(
          await insight[part](inputs, whileConnected(reply)),
          'release of deployment',
          id,
        )
        const head = `# The ${part} of revision ${revision} of release ${releaseName}, without secrets.\n`
        return reply
          .type('application/yaml')
          .header('content-disposition', `attachment; filename="${releaseName}-${part}.yaml"`)
          .send(head + text)
      },
    )
  }
}

const DOWNLOADS = [
  {
    part: 'manifest',
    operationId: 'manifestOfDeployment',
    summary:
      'The rendered manifest of the revision that is deployed; the data of Secrets and write-only values are masked',
  },
  {
    part: 'values',
    operationId: 'valuesOfDeployment',
    summary: 'The values that Helm made this revision of, with the defaults of the chart; write-only values are masked',
  },
] as const
