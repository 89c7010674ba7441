import type { Emitter } from '../../kernel/index.ts'
import {
  guarded,
  httpTransport,
  loadKubeConfig,
  observed,
  type ConnectionEvents,
  type HttpOptions,
  type HttpTransport,
  type KubeConfig,
  type KubeRequest,
  type RequestEvents,
  type Transport,
} from '../../kube/index.ts'
import { insideTransaction } from '../../store/index.ts'
import type { Env } from '../../config/index.ts'

export interface ConnectOptions {
  readonly kubeconfig: string
  readonly env: Env
  readonly emitter: Emitter<RequestEvents & ConnectionEvents>
}

/**
 * Connects a process to the control plane of a kubeconfig. Requests are counted, and refused inside a
 * transaction.
 */
export async function connectKubernetes({ kubeconfig, env, emitter }: ConnectOptions): Promise<HttpTransport> {
  return connectTo(await loadKubeConfig({ path: kubeconfig, env }), emitter)
}

const MIB = 2 ** 20

/**
 * For an API server that others run: what it may cost this process. An app uses a few MiB, ten watches, and one more for each
 * kind in its charts.
 */
export const LIMITS_OF_OTHERS: Limits = {
  connections: 8,
  streams: 64,
  maxBytes: 32 * MIB,
  maxLineBytes: 8 * MIB,
  lists: { pages: 20, bytes: 64 * MIB },
}

export type Limits = Pick<HttpOptions, 'connections' | 'streams' | 'maxBytes' | 'maxLineBytes' | 'lists'>

/** The same for a kubeconfig that is in no file. */
export function connectTo(config: KubeConfig, emitter: ConnectOptions['emitter'], limits: Limits = {}): HttpTransport {
  const http = httpTransport(config, { ...limits, emitter })
  return { ...outsideTransactions(observed(http, emitter)), close: () => http.close() }
}

/**
 * A remote call inside a transaction would keep its rows locked for as long as the server takes to respond.
 */
export const outsideTransactions = (inner: Transport): Transport =>
  guarded(inner, ({ method, path }: KubeRequest) => {
    if (insideTransaction()) throw new Error(`failed to send ${method} ${path}: a database transaction is open`)
  })

/** The same for a port whose calls leave the process in other ways: every method is refused inside a transaction. */
export function callsOutsideTransactions<P extends object>(what: string, port: P): P {
  const refusing = Object.entries(port).map(([name, call]: [string, (...given: unknown[]) => unknown]) => [
    name,
    async (...given: unknown[]): Promise<unknown> => {
      if (insideTransaction()) throw new Error(`failed to call ${name} of ${what}: a database transaction is open`)
      return await call(...given)
    },
  ])
  return Object.fromEntries(refusing) as P
}
