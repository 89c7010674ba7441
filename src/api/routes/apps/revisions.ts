import { Type } from 'typebox'
import type { App } from '../../app.ts'
import {
  DeploymentRollback,
  DeploymentView,
  PageQuery,
  pageOf,
  PreviewView,
  RevisionView,
} from '../../contract/index.ts'
import { pageRequest } from '../../http/paging.ts'
import { generationIn } from '../../http/preconditions.ts'
import { Id, actorOf, pageView, previewView, tagged, whileConnected } from '../parts.ts'
import type { AppsParts } from './parts.ts'
import { deploymentView, revisionView } from './views.ts'

const tags = ['apps']
const one = Type.Object({ id: Id, deployment_id: Id })

const rollbackIn = ({ generation, with_domain }: DeploymentRollback) => ({ generation, withDomain: with_domain })

/** What a deployment was, and the way back. */
export function revisionRoutes(app: App, { apps, insight }: AppsParts): void {
  app.get(
    '/users/:id/deployments/:deployment_id/revisions',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listRevisions',
        tags,
        summary: 'What it asked for in each of its last generations, newest first',
        params: one,
        querystring: PageQuery,
        response: { 200: pageOf(RevisionView) },
      },
    },
    async (request) => {
      const { id: userId, deployment_id: id } = request.params
      const page = pageRequest(request.query, 1)
      return pageView(await apps.listRevisions(actorOf(request), { id, userId }, page), revisionView)
    },
  )

  app.post(
    '/users/:id/deployments/:deployment_id([^:]+)::rollback',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'rollbackDeployment',
        tags,
        summary: 'Ask for what an earlier generation asked for, as a new one',
        params: one,
        body: DeploymentRollback,
        response: { 200: DeploymentView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id: id } = request.params
      const precondition = { ifGeneration: generationIn(request) }
      const to = rollbackIn(request.body)
      const changed = await apps.rollbackDeployment(actorOf(request), { id, userId }, to, precondition)
      return tagged(reply, deploymentView(changed))
    },
  )

  app.post(
    '/users/:id/deployments/:deployment_id([^:]+)::preview-rollback',
    {
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'previewRollback',
        tags,
        summary: 'The exact field changes that going back would make; nothing is saved',
        params: one,
        body: DeploymentRollback,
        response: { 200: PreviewView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id: id } = request.params
      const inputs = await apps.previewRollback(actorOf(request), { id, userId }, rollbackIn(request.body))
      return previewView(await insight.preview(inputs, whileConnected(reply)))
    },
  )
}
