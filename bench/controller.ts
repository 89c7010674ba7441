import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Echo } from '../examples/echo/echo.ts'
import {
  ConfigMap,
  httpTransport,
  installCrd,
  loadKubeConfig,
  makeClient,
  Namespace,
  type Client,
} from '../src/kube/index.ts'
import { startCluster, type Cluster } from '../tools/cluster/index.ts'
import { cpuSecondsOf, Measured } from './process.ts'
import { parallel, quantile, round, type Row } from './measure.ts'

export interface ControllerPeer {
  readonly name: string
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const NAMESPACE = 'bench-echo'
const LABEL = 'bench.example/echo'
const SINGLE_UPDATES = 200

/** Follows all Echoes and knows when each became Ready for its present generation. */
class EchoWatch {
  readonly current = new Map<string, Echo>()
  readonly readyAt = new Map<string, number>()
  events = 0
  readonly #abort = new AbortController()
  #changed: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(client: Client) {
    void this.#follow(client)
  }

  async #follow(client: Client): Promise<void> {
    const options = { namespace: NAMESPACE, sendInitialEvents: true }
    try {
      for await (const { type, object } of client.watchEvents(Echo, options, this.#abort.signal)) {
        if (type === 'BOOKMARK' || type === 'ERROR') continue
        this.events += 1
        const { name } = object.metadata
        if (type === 'DELETED') this.current.delete(name)
        else this.current.set(name, object)
        if (type !== 'DELETED' && isReady(object)) this.readyAt.set(name, performance.now())
        else this.readyAt.delete(name)
        this.#changed.resolve()
        this.#changed = Promise.withResolvers()
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error
    }
  }

  async until(what: string, done: () => boolean, timeoutMs = 600_000): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (!done()) {
      if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`)
      await Promise.race([this.#changed.promise, delay(1_000)])
    }
  }

  /** Until nothing has changed for half a second. */
  async settle(): Promise<void> {
    for (let last = -1; last !== this.events; await delay(500)) last = this.events
  }

  stop(): void {
    this.#abort.abort()
  }
}

const isReady = ({ metadata, status }: Echo): boolean =>
  status?.observedGeneration === metadata.generation &&
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')

const nameOf = (i: number): string => `echo-${String(i).padStart(5, '0')}`

/** Measures one controller on a control plane of its own, so that no peer inherits another's caches. */
export async function measureController(peer: ControllerPeer, n: number): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'caelus-bench-'))
  const cluster = await startCluster({ dir, nodes: 'none' })
  const transport = httpTransport(await loadKubeConfig({ path: cluster.kubeconfig }))
  try {
    const client = makeClient(transport, { fieldManager: 'bench' })
    await installCrd(client, Echo)
    await client.apply(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
    return await phases(peer, n, client, cluster, dir)
  } finally {
    await transport.close()
    await cluster.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function phases(peer: ControllerPeer, n: number, client: Client, cluster: Cluster, dir: string): Promise<Row[]> {
  const rows: Row[] = []
  const watch = new EchoWatch(client)
  const createAll = (): Promise<void> =>
    parallel(n, 16, async (i) => {
      const metadata = { name: nameOf(i), namespace: NAMESPACE }
      await client.create(Echo, {
        apiVersion: 'bench.example/v1',
        kind: 'Echo',
        metadata,
        spec: { message: `hello ${i}` },
      })
    })
  const apiServerCpu = (): number => cpuSecondsOf(cluster.pids['kube-apiserver'] ?? process.pid)

  await createAll()
  await watch.until('all created', () => watch.current.size === n)
  const apiBefore = apiServerCpu()
  const from = performance.now()
  const env = { KUBECONFIG: cluster.kubeconfig, ...peer.env }
  const program = new Measured(peer.command, env, join(dir, 'peer.log'))
  const report = (
    phase: string,
    count: number,
    ms: number,
    cpuSeconds: number,
    latencies: readonly number[],
    notes: string,
  ): void => {
    rows.push({
      bench: `controller.${phase}`,
      peer: peer.name,
      n: count,
      seconds: round(ms / 1000, 3),
      perSecond: round((count / ms) * 1000, 1),
      cpuSeconds: round(cpuSeconds),
      rssMiB: round(program.peakRssMiB, 1),
      p50ms: quantile(latencies, 0.5),
      p99ms: quantile(latencies, 0.99),
      notes,
    })
  }
  try {
    await watch.until('cold convergence', () => watch.readyAt.size === n)
    const last = Math.max(...watch.readyAt.values())
    const sinceStart = [...watch.readyAt.values()].map((at) => at - from)
    report(
      'cold',
      n,
      last - from,
      program.cpuSeconds,
      sinceStart,
      `apiserver cpu ${round(apiServerCpu() - apiBefore)} s`,
    )
    await verify(client, watch)
    await watch.settle()

    const cpuBeforeResync = program.cpuSeconds
    const eventsBefore = watch.events
    const resyncFrom = performance.now()
    const resynced = program.line('resync', 600_000)
    program.signal('SIGUSR2')
    const line = await resynced
    const resyncMs = performance.now() - resyncFrom
    const resyncCpu = program.cpuSeconds - cpuBeforeResync
    await delay(300)
    report('resync', n, resyncMs, resyncCpu, [], `${line}; ${watch.events - eventsBefore} writes caused`)

    await watch.settle()
    const cpuBeforeUpdate = program.cpuSeconds
    const updateFrom = performance.now()
    const latencies: number[] = []
    for (let i = 0; i < SINGLE_UPDATES; i++) latencies.push(await updateOne(client, watch, nameOf((i * 7919) % n), i))
    const updateMs = performance.now() - updateFrom
    const updateCpu = program.cpuSeconds - cpuBeforeUpdate
    await watch.settle()
    await verify(client, watch)
    report('update', SINGLE_UPDATES, updateMs, updateCpu, latencies, 'PATCH sent to status seen, 20 ms pause between')
    return rows
  } finally {
    watch.stop()
    await program.stop()
  }
}

async function updateOne(client: Client, watch: EchoWatch, name: string, i: number): Promise<number> {
  const from = performance.now()
  const sent = await client.patch(Echo, { namespace: NAMESPACE, name }, { merge: { spec: { message: `update ${i}` } } })
  const generation = sent.metadata.generation ?? 0
  const seen = (): boolean =>
    watch.readyAt.has(name) && (watch.current.get(name)?.status?.observedGeneration ?? 0) >= generation
  await watch.until(`update of ${name}`, seen, 60_000)
  const ms = (watch.readyAt.get(name) ?? performance.now()) - from
  await delay(20)
  return ms
}

/** Every ConfigMap says what its Echo says, or the figures are worth nothing. */
async function verify(client: Client, watch: EchoWatch): Promise<void> {
  const children = await client.list(ConfigMap, { namespace: NAMESPACE, labels: LABEL })
  const said = new Map(children.map(({ metadata, data }) => [metadata.name, data?.['message']]))
  for (const { metadata, spec } of watch.current.values()) {
    if (said.get(metadata.name) !== spec.message) {
      throw new Error(`ConfigMap ${metadata.name} says ${said.get(metadata.name)}, its Echo ${spec.message}`)
    }
  }
}
