import { Type } from 'typebox'
import type { RuntimeDetails } from '../../../domains/runtimes/usecases/index.ts'
import type { NfrSettings } from '../../../domains/runtimes/index.ts'
import type { Clock } from '../../../kernel/index.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, Routes } from '../../app.ts'
import { PageQuery, pageOf, RUNTIME_PHASES, RuntimePath, RuntimeSummary, RuntimeView } from '../../contract/index.ts'
import { callerOf } from '../../http/guard.ts'
import { pageRequest } from '../../http/paging.ts'
import { generationIn } from '../../http/preconditions.ts'
import { runtimeInsightRoutes } from './insight.ts'
import { ManifestBody, inputIn, type RuntimesParts } from './parts.ts'
import { runtimeView, summaryView } from './views.ts'
import { actorOf, pageView, tagged, whileConnected } from '../parts.ts'

const tags = ['runtimes']

export interface RuntimesRoutesOptions extends RuntimesParts {
  readonly nfr: NfrSettings
  readonly clock: Clock
}

/** All users who are logged in may read; changes need the role admin. */
export const runtimesRoutes =
  (options: RuntimesRoutesOptions): Routes =>
  (app) => {
    lifeRoutes(app, options)
    runtimeInsightRoutes(app, options)
  }

function lifeRoutes(app: App, { runtimes, nfr, clock }: RuntimesRoutesOptions): void {
  const view = (request: FastifyRequest, reply: FastifyReply, sighting: RuntimeDetails): RuntimeView => {
    const isAdmin = callerOf(request).role === 'admin'
    return tagged(reply, runtimeView(sighting, { nfr, now: clock.now(), isAdmin }))
  }

  app.get(
    '/runtimes',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listRuntimes',
        tags,
        summary: 'The class runtimes of the control plane, by namespace and name',
        querystring: Type.Object({
          ...PageQuery.properties,
          namespace: Type.Optional(RuntimePath.properties.namespace),
          phase: Type.Optional(Type.Enum([...RUNTIME_PHASES])),
        }),
        response: { 200: pageOf(RuntimeSummary) },
      },
    },
    async (request) => {
      const { namespace, phase } = request.query
      const page = pageRequest(request.query, 2)
      return pageView(await runtimes.list({ namespace, phase, ...page }), summaryView)
    },
  )

  app.post(
    '/runtimes',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'createRuntime',
        tags,
        summary: 'Create a class runtime',
        body: ManifestBody,
        response: { 201: RuntimeView },
      },
    },
    async (request, reply) => {
      const made = await runtimes.create(actorOf(request), inputIn(request.body))
      return reply.code(201).send(view(request, reply, made))
    },
  )

  app.get(
    '/runtimes/:namespace/:name',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getRuntime',
        tags,
        summary: 'One class runtime with everything it is made of',
        params: RuntimePath,
        response: { 200: RuntimeView },
      },
    },
    async (request, reply) => view(request, reply, await runtimes.get(request.params, whileConnected(reply))),
  )

  app.put(
    '/runtimes/:namespace/:name',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'applyRuntime',
        tags,
        summary: 'Make a class runtime, or replace the spec of the one that is there',
        params: RuntimePath,
        body: ManifestBody,
        response: { 200: RuntimeView, 201: RuntimeView },
      },
    },
    async (request, reply) => {
      const input = inputIn(request.body, request.params)
      const written = await runtimes.put(actorOf(request), input, { ifGeneration: generationIn(request) })
      return reply.code(written.change === 'created' ? 201 : 200).send(view(request, reply, written))
    },
  )

  app.delete(
    '/runtimes/:namespace/:name',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'deleteRuntime',
        tags,
        summary: 'Remove a class runtime with everything it is made of',
        params: RuntimePath,
        response: { 202: RuntimeView },
      },
    },
    async (request, reply) => {
      const precondition = { ifGeneration: generationIn(request) }
      const going = await runtimes.remove(actorOf(request), request.params, precondition)
      return reply.code(202).send(view(request, reply, going))
    },
  )
}
