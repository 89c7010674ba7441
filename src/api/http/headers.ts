import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { App } from '../app.ts'

/** The console loads its own files and talks to its own server; styles are made by its component library at run time. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"

const ALWAYS: Readonly<Record<string, string>> = {
  'content-security-policy': DATA_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Every answer has them, refusals too. A year of HTTPS only where browsers reach us by HTTPS at all. */
export function secureHeaders(app: App, publicUrl: () => string): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(ALWAYS).header('x-request-id', request.id)
    if (publicUrl().startsWith('https:')) void reply.header('strict-transport-security', 'max-age=31536000')
    if (request.url.startsWith('/api/')) void reply.header('cache-control', 'no-store')
  })
}

/** What a caller may choose as id of a request: long enough to be found, too plain to disturb a log. */
const SANE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/

export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && SANE_ID.test(given) ? given : randomUUID()
}
