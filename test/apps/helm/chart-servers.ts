import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export interface ChartServer extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string
  /** Paths that were asked for. */
  readonly asked: readonly string[]
}

/** With `tls`, by https. */
export interface ServeOptions {
  readonly tls?: { readonly cert: string; readonly key: string }
}

async function serve(
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { tls }: ServeOptions = {},
): Promise<ChartServer> {
  const asked: string[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    asked.push(request.url ?? '')
    void listener(request, response)
  }
  const server = tls === undefined ? createServer(answer) : createSecureServer(tls, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A folder with index.yaml and archives, or whatever `instead` answers. */
export const repository = (
  folder: string,
  instead?: (path: string) => number | Buffer | URL | undefined,
  options?: ServeOptions,
) =>
  serve(async ({ url = '/' }, response) => {
    const answer = instead?.(url) ?? (await readFile(join(folder, url)).catch(() => 404))
    if (typeof answer === 'number') response.writeHead(answer).end()
    else if (answer instanceof URL) response.writeHead(302, { location: answer.href }).end()
    else response.writeHead(200).end(answer)
  }, options)

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await Array.fromAsync(request))
const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/**
 * As much of a registry as `helm push` and a pull need. With `password`, one must fetch a token with it (user `puller`)
 * before pulling by tag; pushing is free.
 */
export async function registry({
  password,
  realm: elsewhere,
}: { readonly password?: string; readonly realm?: string } = {}): Promise<ChartServer> {
  const blobs = new Map<string, Buffer>()
  const manifests = new Map<string, { readonly type: string; readonly bytes: Buffer }>()
  const token = randomUUID()

  const give = (response: ServerResponse, bytes: Buffer | undefined, type: string, isHead: boolean): void => {
    if (bytes === undefined) return void response.writeHead(404).end()
    const headers = { 'content-type': type, 'content-length': bytes.length, 'docker-content-digest': digestOf(bytes) }
    response.writeHead(200, headers).end(isHead ? undefined : bytes)
  }

  return serve(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://registry')
    const { method, headers } = request
    const reads = method === 'GET' || method === 'HEAD'
    if (pathname === '/token') {
      const known = `Basic ${Buffer.from(`puller:${password}`).toString('base64')}`
      if (headers.authorization !== known) return void response.writeHead(401).end()
      return void response.writeHead(200).end(JSON.stringify({ token }))
    }
    if (
      password !== undefined &&
      method === 'GET' &&
      /\/manifests\/(?!sha256:)/.test(pathname) &&
      headers.authorization !== `Bearer ${token}`
    ) {
      const realm = elsewhere ?? `http://${headers.host}/token`
      return void response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="test"` }).end()
    }
    const [, name = '', kind = '', reference = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.*)$/.exec(pathname) ?? []
    if (reads && kind === 'blobs')
      return give(response, blobs.get(reference), 'application/octet-stream', method === 'HEAD')
    if (reads && kind === 'manifests') {
      const found = manifests.get(`${name} ${reference}`)
      return give(response, found?.bytes, found?.type ?? '', method === 'HEAD')
    }
    if (reads) return void response.writeHead(200).end('{}')
    const bytes = await bodyOf(request)
    if (kind === 'manifests') {
      const manifest = { type: headers['content-type'] ?? '', bytes }
      for (const known of [reference, digestOf(bytes)]) manifests.set(`${name} ${known}`, manifest)
      return void response.writeHead(201, { 'docker-content-digest': digestOf(bytes) }).end()
    }
    if (method === 'POST')
      return void response.writeHead(202, { location: `/v2/${name}/blobs/uploads/${randomUUID()}` }).end()
    blobs.set(searchParams.get('digest') ?? '', bytes)
    response.writeHead(201).end()
  })
}
