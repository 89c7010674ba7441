import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How one pod behaves from now on. */
export interface Load {
  readonly rps: number
  readonly latencyMs: number
  readonly cpuMillicores: number
  readonly memoryBytes: number
}

interface Counters {
  load: Load
  at: number
  requests: number
  cpuSeconds: number
  readonly buckets: number[]
}

const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, Infinity]

/**
 * Stands for the metrics endpoints of many pods and of the kubelets they run on: counters grow with time as each pod's load
 * says, under the names and labels that real ones have.
 */
export class LoadGenerator implements AsyncDisposable {
  readonly address: string
  readonly #server: ReturnType<typeof createServer>
  readonly #pods: Map<string, Counters>

  private constructor(server: ReturnType<typeof createServer>, pods: Map<string, Counters>) {
    this.#server = server
    this.#pods = pods
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(): Promise<LoadGenerator> {
    const pods = new Map<string, Counters>()
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/plain; version=0.0.4')
      response.end(exposition(pods, Date.now()))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new LoadGenerator(server, pods)
  }

  drive(namespace: string, pod: string, load: Load): void {
    const key = `namespace="${namespace}",pod="${pod}"`
    const known = this.#pods.get(key)
    if (known === undefined) {
      this.#pods.set(key, { load, at: Date.now(), requests: 0, cpuSeconds: 0, buckets: BUCKETS.map(() => 0) })
      return
    }
    grow(known, Date.now())
    known.load = load
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function grow(counters: Counters, now: number): void {
  const seconds = (now - counters.at) / 1000
  const { rps, latencyMs, cpuMillicores } = counters.load
  counters.at = now
  counters.requests += rps * seconds
  counters.cpuSeconds += (cpuMillicores / 1000) * seconds
  for (const [index, limit] of BUCKETS.entries()) {
    if (latencyMs / 1000 <= limit) counters.buckets[index] = (counters.buckets[index] ?? 0) + rps * seconds
  }
}

function exposition(pods: ReadonlyMap<string, Counters>, now: number): string {
  const lines: string[] = []
  for (const [labels, counters] of pods) {
    grow(counters, now)
    const inContainer = `${labels},container="function"`
    lines.push(
      `http_requests_total{${labels},code="200"} ${counters.requests}`,
      ...BUCKETS.map((limit, index) => {
        const le = limit === Infinity ? '+Inf' : limit
        return `http_request_duration_seconds_bucket{${labels},le="${le}"} ${counters.buckets[index]}`
      }),
      `container_cpu_usage_seconds_total{${inContainer},cpu="total"} ${counters.cpuSeconds}`,
      `container_cpu_usage_seconds_total{${labels},container="sidecar",cpu="total"} ${counters.cpuSeconds * 7}`,
      `container_memory_working_set_bytes{${inContainer}} ${counters.load.memoryBytes}`,
      `container_memory_working_set_bytes{${labels},container="sidecar"} ${counters.load.memoryBytes * 7}`,
    )
  }
  return `${lines.join('\n')}\n`
}
