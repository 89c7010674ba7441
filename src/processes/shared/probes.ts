import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readiness } from '../../api/index.ts'
import { SERVER, type Config } from '../../config/index.ts'
import { aborted, service, type Service } from '../../kernel/index.ts'
import type { Metrics } from '../../telemetry/index.ts'

export interface Probes {
  readonly service: Service
  /** The address it listens on; known after the start. */
  url(): string
}

/** Where probes are served, and the variable that says so. */
export interface ProbeAddress {
  readonly host: string
  readonly port: number
  readonly setting: string
  /** Whether a free port will do if this one is taken: nobody asked for it. */
  readonly orAnyPort: boolean
}

export function probeAddress(config: Config): ProbeAddress {
  const { host, port } = config.of(SERVER)
  return { host, port, setting: 'CAELUS_PORT', orAnyPort: !config.isSet(SERVER.variables.port) }
}

/** Serves `/healthz`, `/readyz` and `/metrics` of a process without the API. */
export function probes(
  { host, port, setting, orAnyPort }: ProbeAddress,
  readiness: Readiness,
  metrics: Pick<Metrics, 'contentType' | 'text'>,
): Probes {
  const answer = async (path: string): Promise<{ status: number; type: string; body: string }> => {
    if (path === '/healthz') return json(200, { status: 'ok' })
    if (path === '/metrics') return { status: 200, type: metrics.contentType, body: await metrics.text() }
    if (path !== '/readyz') return json(404, { status: 'this process answers /healthz, /readyz and /metrics' })
    const view = await readiness.view()
    return json(view.status === 'ok' ? 200 : 503, view)
  }
  const server = createServer((request, response) => {
    answer((request.url ?? '').split('?', 1)[0] ?? '').then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    )
  })
  return {
    url: () => `http://${host}:${(server.address() as AddressInfo | null)?.port ?? port}`,
    service: service('probes', async (signal, ready) => {
      await listen(server, host, port).catch(async (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || !orAnyPort) {
          throw new Error(`failed to listen on ${host}:${port} for probes; set ${setting} to another port`, {
            cause: error,
          })
        }
        await listen(server, host, 0)
      })
      ready()
      await aborted(signal)
      readiness.stopping()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }),
  }
}

const json = (status: number, body: object) => ({ status, type: 'application/json', body: JSON.stringify(body) })

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
