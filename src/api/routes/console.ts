import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { App, ServerParts } from '../app.ts'
import { raise } from '../failures.ts'
import { CONSOLE_POLICY } from '../http/headers.ts'
import { pathOf } from '../http/problem.ts'

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Caelus</title>
<body>
<h1>The console is not built yet</h1>
<p>It is being built if this server was started with <code>npm start</code>; this page reloads by itself.
Otherwise run <code>npm run build --workspace console</code>.</p>
<p>The API answers already: <a href="/api/v1/openapi.json">/api/v1/openapi.json</a></p>
`

/** Files whose name changes with their content may be kept forever; the page that names them may not. */
const FOREVER = 'public, max-age=31536000, immutable'

/** Serves the console. Any path that is no file and not the API's is a page of the console, which reads it itself. */
export async function consoleRoutes(app: App, { consoleDir }: ServerParts): Promise<void> {
  await app.register(fastifyStatic, { root: consoleDir, serve: false, cacheControl: false, dotfiles: 'deny' })

  app.get('/*', { config: { access: 'public', limit: 'none' }, schema: { hide: true } }, async (request, reply) => {
    const path = pathOf(request.url)
    if (path.startsWith('/api/')) throw raise.NotFound(`there is no GET ${path}`)
    if (/\.[a-z0-9]+$/i.test(path)) {
      return reply.header('cache-control', path.startsWith('/assets/') ? FOREVER : 'no-cache').sendFile(path)
    }
    const page = await readFile(join(consoleDir, 'index.html'), 'utf8').catch(() => undefined)
    return reply
      .code(page === undefined ? 503 : 200)
      .headers({ 'content-security-policy': CONSOLE_POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page ?? NOT_BUILT)
  })
}
