import { createSecureContext, type SecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import api from 'undici/lib/api/index.js'
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js'

export type { Dispatcher } from 'undici'

// As the index of undici does it: `request` is a method of every dispatcher, and proxies use `connect`.
Object.assign(DispatcherClass.prototype, api)

export interface Tls {
  /** Certificate authorities. @default those of Node */
  readonly ca?: string
  /** Accepts any certificate. */
  readonly insecure?: boolean
  /** The name that the certificate must have. @default the host of the URL */
  readonly serverName?: string
  readonly certificate?: string
  readonly key?: string
}

export interface ConnectionOptions {
  readonly origin: string
  /** Further requests wait; `null`: no limit. */
  readonly connections: number | null
  readonly tls?: Tls
  readonly proxyUrl?: string | undefined
  /** How long an idle connection is kept. @default 4_000 */
  readonly keepAliveMs?: number
}

/** Keep-alive connections over HTTP/1.1 to one origin. In a module of its own: loading undici takes time. */
export function connectionsTo({ origin, connections, tls = {}, proxyUrl, keepAliveMs }: ConnectionOptions): Dispatcher {
  const { insecure = false, serverName } = tls
  const connect = {
    rejectUnauthorized: !insecure,
    ...(serverName !== undefined && { servername: serverName }),
    // One for all connections: each would parse the certificates anew and keep 100 KiB of its own.
    ...(origin.startsWith('https:') && { secureContext: secureContextOf(tls) }),
  }
  const common = {
    connections,
    allowH2: false,
    ...(keepAliveMs !== undefined && { keepAliveTimeout: keepAliveMs }),
  }
  return proxyUrl === undefined
    ? new Pool(origin, { ...common, connect })
    : new ProxyAgent({ ...common, uri: proxyUrl, requestTls: connect })
}

const secureContextOf = ({ ca, certificate, key }: Tls): SecureContext =>
  createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && key !== undefined && { cert: certificate, key }),
  })
