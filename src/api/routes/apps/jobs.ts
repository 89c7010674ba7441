import { Type } from 'typebox'
import type { App } from '../../app.ts'
import {
  FailJob,
  JOB_STATUSES,
  NUMBER_PATTERN,
  PageQuery,
  pageOf,
  ReconcileJobView,
  ReconcileRequest,
} from '../../contract/index.ts'
import type { AppsParts } from './parts.ts'
import { jobView } from './views.ts'
import { pageRequest } from '../../http/paging.ts'
import { Id, actorOf, pageView } from '../parts.ts'

const tags = ['apps']
const one = Type.Object({ id: Type.String({ pattern: NUMBER_PATTERN }) })

export function jobRoutes(app: App, { apps }: AppsParts): void {
  app.get(
    '/reconcile-jobs',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'listReconcileJobs',
        tags,
        summary: 'The work of the queue, newest first',
        querystring: Type.Object({
          ...PageQuery.properties,
          status: Type.Optional(Type.Enum([...JOB_STATUSES])),
          deployment_id: Type.Optional(Id),
        }),
        response: { 200: pageOf(ReconcileJobView) },
      },
    },
    async (request) => {
      const { status, deployment_id: deploymentId } = request.query
      return pageView(
        await apps.listJobs(actorOf(request), {
          ...pageRequest(request.query, 1),
          status,
          deploymentId,
        }),
        jobView,
      )
    },
  )

  app.get(
    '/reconcile-jobs/:id',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'getReconcileJob',
        tags,
        summary: 'One piece of work',
        params: one,
        response: { 200: ReconcileJobView },
      },
    },
    async (request) => jobView(await apps.getJob(actorOf(request), request.params.id)),
  )

  app.post(
    '/reconcile-jobs/:id([^:]+)::requeue',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'requeueReconcileJob',
        tags,
        summary: 'Run it now, with its attempts forgiven',
        params: one,
        response: { 200: ReconcileJobView },
      },
    },
    async (request) => jobView(await apps.requeueJob(actorOf(request), request.params.id)),
  )

  app.post(
    '/reconcile-jobs/:id([^:]+)::fail',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'failReconcileJob',
        tags,
        summary: 'Give it up by hand; a worker that runs it loses its lease',
        params: one,
        body: FailJob,
        response: { 200: ReconcileJobView },
      },
    },
    async (request) => jobView(await apps.failJob(actorOf(request), request.params.id, request.body.error)),
  )

  app.post(
    '/deployments/:deployment_id([^:]+)::reconcile',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'enqueueReconcile',
        tags,
        summary: 'Reconcile it now, or as soon as the present run ends',
        params: Type.Object({ deployment_id: Id }),
        body: ReconcileRequest,
        response: { 202: ReconcileJobView },
      },
    },
    async (request, reply) => {
      const { deployment_id: id } = request.params
      const job = await apps.enqueueReconcile(actorOf(request), { id }, request.body.reason)
      return reply.code(202).send(jobView(job))
    },
  )
}
