import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  httpTransport,
  installCrd,
  loadKubeConfig,
  makeClient,
  Namespace,
  type Client,
  type Crd,
  type Draft,
  type KubeObject,
} from '../src/kube/index.ts'
import { startControlPlane, type ControlPlane } from '../tools/control-plane/index.ts'
import { cpuSecondsOf, Measured } from './process.ts'
import { parallel, quantile, round, type Row } from './measure.ts'
import { ObjectWatch } from './object-watch.ts'

export interface ControllerPeer {
  readonly name: string
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** What a controller is measured with: objects, how one looks that was dealt with, and a change to each of a few. */
export interface Workload<T extends KubeObject> {
  readonly bench: string
  readonly crd: Crd<T>
  draft(at: { readonly namespace: string; readonly name: string }, i: number): Draft<T>
  readonly isDone: (object: T) => boolean
  /** Makes everything ready for a change; what it returns makes the change, and says how the object looks once it was noticed. */
  change(client: Client, object: T, i: number): Promise<() => Promise<(object: T) => boolean>>
  /** Throws unless the world is as the objects want it, or the figures are worth nothing. */
  verify(client: Client, objects: readonly T[]): Promise<void>
  readonly changeNote: string
  /** Components of the control plane that would only disturb. */
  readonly paused: ReadonlyArray<keyof ControlPlane['pids']>
}

const NAMESPACE = 'bench'
const SINGLE_CHANGES = 200

const nameOf = (i: number): string => `one-${String(i).padStart(5, '0')}`

/** Measures one controller on a control plane of its own, so that no peer inherits another's caches. */
export async function measureController<T extends KubeObject>(
  load: Workload<T>,
  peer: ControllerPeer,
  n: number,
): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'caelus-bench-'))
  const controlPlane = await startControlPlane({ dir, nodes: 'none' })
  const transport = httpTransport(await loadKubeConfig({ path: controlPlane.kubeconfig }))
  const signalPaused = (signal: NodeJS.Signals): void => {
    for (const name of load.paused) process.kill(controlPlane.pids[name] ?? 0, signal)
  }
  try {
    const client = makeClient(transport, { fieldManager: 'bench' })
    await installCrd(client, load.crd)
    await client.apply(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } })
    signalPaused('SIGSTOP')
    return await phases(load, peer, n, client, controlPlane, dir)
  } finally {
    signalPaused('SIGCONT')
    await transport.close()
    await controlPlane.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function phases<T extends KubeObject>(
  load: Workload<T>,
  peer: ControllerPeer,
  n: number,
  client: Client,
  controlPlane: ControlPlane,
  dir: string,
): Promise<Row[]> {
  const rows: Row[] = []
  const watch = new ObjectWatch(client, load.crd, NAMESPACE)
  const apiServerCpu = (): number => cpuSecondsOf(controlPlane.pids['kube-apiserver'] ?? process.pid)

  await parallel(n, 16, async (i) => {
    await client.create(load.crd, load.draft({ namespace: NAMESPACE, name: nameOf(i) }, i))
  })
  await watch.until('all created', () => watch.current.size === n)
  const apiBefore = apiServerCpu()
  const from = performance.now()
  const env = { KUBECONFIG: controlPlane.kubeconfig, ...peer.env }
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
      bench: `${load.bench}.${phase}`,
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
    const doneAt = [...(await watch.allBecome('cold convergence', n, load.isDone)).values()]
    const sinceStart = doneAt.map((at) => at - from)
    const apiCpu = `apiserver cpu ${round(apiServerCpu() - apiBefore)} s`
    report('cold', n, Math.max(...sinceStart), program.cpuSeconds, sinceStart, apiCpu)
    await load.verify(client, [...watch.current.values()])
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
    const cpuBeforeChanges = program.cpuSeconds
    const changesFrom = performance.now()
    const latencies: number[] = []
    for (let i = 0; i < SINGLE_CHANGES; i++) {
      latencies.push(await changeOne(load, client, watch, nameOf((i * 7919) % n), i))
    }
    const changesMs = performance.now() - changesFrom
    const changesCpu = program.cpuSeconds - cpuBeforeChanges
    await watch.settle()
    await load.verify(client, [...watch.current.values()])
    report('change', SINGLE_CHANGES, changesMs, changesCpu, latencies, `${load.changeNote}, 20 ms pause between`)
    return rows
  } finally {
    watch.stop()
    await program.stop()
  }
}

async function changeOne<T extends KubeObject>(
  load: Workload<T>,
  client: Client,
  watch: ObjectWatch<T>,
  name: string,
  i: number,
): Promise<number> {
  const object = watch.current.get(name)
  if (object === undefined) throw new Error(`${name} has vanished`)
  const make = await load.change(client, object, i)
  const from = performance.now()
  const isNoticed = await make()
  const noticed = (): boolean => isNoticed(watch.current.get(name) ?? object)
  await watch.until(`change of ${name}`, noticed, 60_000)
  const ms = (watch.heardAt.get(name) ?? performance.now()) - from
  await delay(20)
  return ms
}
