import { connectionsTo, type Dispatcher } from '../../http/connections/index.ts'
import type { KubeConfig } from '../config/config.ts'
import type { Credentials } from '../config/credentials.ts'

/** Below the 90 s after which an API server closes an idle connection, so that no write meets a closing one. */
const KEEP_ALIVE_MS = 60_000

export interface Connections {
  readonly certificate: string | undefined
  readonly requests: Dispatcher
  readonly streams: Dispatcher
}

/** The connections. A new client certificate opens new ones. */
export class ConnectionPools {
  readonly #config: KubeConfig
  readonly #forRequests: number | null
  #open: Connections | undefined
  /** Replaced, and still with open requests. */
  readonly #retired = new Set<Connections>()
  #closed = false

  constructor(config: KubeConfig, forRequests: number | null) {
    this.#config = config
    this.#forRequests = forRequests
  }

  for(credentials: Credentials): Connections {
    if (this.#closed) throw new Error('the transport is closed')
    if (this.#open === undefined || this.#open.certificate !== credentials.certificate) this.use(this.make(credentials))
    return this.#open!
  }

  /** Connections that nothing uses yet. */
  make({ certificate, key }: Credentials): Connections {
    const { proxyUrl, server } = this.#config
    const tls = {
      ...this.#config.tls,
      ...(certificate !== undefined && key !== undefined && { certificate, key }),
    }
    const pool = (connections: number | null): Dispatcher =>
      connectionsTo({ origin: new URL(server).origin, connections, tls, proxyUrl, keepAliveMs: KEEP_ALIVE_MS })
    return {
      certificate,
      requests: pool(this.#forRequests),
      // `OpenStreams` limits the watches, so that a connection that is closing does not delay the next watch.
      streams: pool(null),
    }
  }

  /** Uses these from now on. */
  use(next: Connections): void {
    if (this.#open !== undefined) void this.#retire(this.#open)
    this.#open = next
  }

  async #retire(old: Connections): Promise<void> {
    this.#retired.add(old)
    try {
      // `close` waits for open requests. A watch ends at the latest when its certificate is no longer accepted.
      await Promise.all([old.requests.close(), old.streams.close()])
    } finally {
      this.#retired.delete(old)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#retired, ...(this.#open ? [this.#open] : [])].map(destroy))
  }
}

export const destroy = async ({ requests, streams }: Connections): Promise<void> => {
  await Promise.all([requests.destroy(), streams.destroy()])
}
