import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import cookie from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { LogController } from 'fastify'
import type { App, ServerParts } from './app.ts'
import { isWrite } from './auth/origin.ts'
import { raise, statusOf } from './failures.ts'
import { guard } from './http/guard.ts'
import { requestId, secureHeaders } from './http/headers.ts'
import { honourIdempotencyKeys } from './http/idempotency.ts'
import { parseJsonBodies } from './http/json-body.ts'
import { describeApi } from './openapi.ts'
import { pathOf, refusalOf, sendProblem } from './http/problem.ts'
import { configRoutes } from './routes/config.ts'
import { consoleRoutes } from './routes/console.ts'
import { decisionRoutes } from './routes/decisions.ts'
import { eventRoutes } from './routes/events.ts'
import { identityRoutes } from './routes/identity/identity.ts'
import { probeRoutes } from './routes/probes.ts'
import { statusRoutes } from './routes/status.ts'
import { routeTemplate } from './http/route-template.ts'
import { validatorCompiler } from './http/validation.ts'

/** Longer than the longest silence of an event stream, so that only dead connections meet it. */
const IDLE_CONNECTION_MS = 60_000

/** The server with all its routes, not yet listening. */
export async function makeServer(parts: ServerParts): Promise<App> {
  const { limits, scrub } = parts
  const app: App = fastify<Server>({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    frameworkErrors: (error, request, reply) => void sendProblem(request, reply, refusalOf(error), scrub),
    genReqId: requestId,
    trustProxy: (_address, hop) => hop < limits.trustedProxies,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    connectionTimeout: IDLE_CONNECTION_MS,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    // In-flight requests are answered while closing; connections that merely wait are cut.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256 },
    http: {
      headersTimeout: Math.min(limits.requestMs, 10_000),
      maxHeaderSize: 16 * 1024,
      connectionsCheckingInterval: 1_000,
    },
    clientErrorHandler: refuseBrokenRequest,
  }).withTypeProvider<TypeBoxTypeProvider>()
  parseJsonBodies(app)
  app.setValidatorCompiler(validatorCompiler)
  secureHeaders(app, parts.publicUrl)
  reportRequests(app, parts)
  endConnections(app)
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error)
    if (statusOf(refusal.failure) >= 500) request.log.error({ error, code: refusal.failure.code }, 'Request failed')
    return sendProblem(request, reply, refusal, scrub)
  })
  app.setNotFoundHandler((request, reply) =>
    sendProblem(
      request,
      reply,
      { failure: raise.NotFound(`there is no ${request.method} ${pathOf(request.url)}`).failure },
      scrub,
    ),
  )

  await app.register(cookie)
  await app.register(rateLimit, { global: false })
  guard(app, parts)
  await describeApi(app, parts.version, parts.tags ?? [])
  honourIdempotencyKeys(app, parts.idempotency)

  probeRoutes(app, parts)
  await app.register(
    async (api: App) => {
      const all = [identityRoutes, statusRoutes, eventRoutes, decisionRoutes, configRoutes]
      for (const routes of all) routes(api, parts)
      for (const routes of parts.routes ?? []) routes(api)
    },
    { prefix: '/api/v1' },
  )
  await consoleRoutes(app, parts)
  return app
}

/** Answers sent while closing end their connection: a kept-alive one would delay the stop until the grace is over. */
function endConnections(app: App): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (isClosing) void reply.header('connection', 'close')
    return payload
  })
}

function reportRequests(app: App, { metrics }: ServerParts): void {
  app.addHook('onResponse', async (request, reply) => {
    const facts = {
      method: request.method,
      route: routeTemplate(request.routeOptions.url ?? 'unknown'),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    metrics.request(facts)
    const line = { ...facts, path: pathOf(request.url), user: request.identity?.userId }
    const level = facts.status >= 500 ? 'warn' : isWrite(request.method) ? 'info' : 'debug'
    request.log[level](line, 'Request answered')
  })
}

/** What is no HTTP at all, or too slow or too long to become a request: answered on the bare socket, then closed. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  const status = BROKEN[error.code ?? ''] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

const BROKEN: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}
