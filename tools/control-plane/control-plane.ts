import { chmod, mkdir, readFile } from 'node:fs/promises'
import { execInNode, forwardPort } from '../node/index.ts'
import type { Forward } from '../node/index.ts'
import { lock, LockHeld } from '../process/index.ts'
import type { OnProgress } from '../progress.ts'
import type { ComponentName } from './components.ts'
import { layout } from './layout.ts'
import type { Layout } from './layout.ts'
import type { Processes } from './processes.ts'
import { Run } from './run.ts'
import { aliveOf, endRecorded, readState } from './state.ts'
import type { ControlPlaneState, NodeKind } from './state.ts'

export interface ControlPlaneOptions {
  /** Directory of all its data. Starting there again finds the same objects. */
  readonly dir: string
  /** kwok: pods are reported as running. real: they run, which needs root. none: they stay pending. @default kwok */
  readonly nodes?: NodeKind
  /** Number of simulated nodes. @default 3 */
  readonly nodeCount?: number
  /** Certificates (PEM) of further authorities. The API server knows their clients by name and groups. */
  readonly clientAuthorities?: readonly string[]
  /** Starts processes beside those of every control plane, once its controllers work. They end with it. */
  readonly extend?: (running: Extensible) => Promise<void>
  readonly onProgress?: OnProgress
  /** Aborts the start, with downloads and builds. Use `stop` once the control plane has started. */
  readonly signal?: AbortSignal
}

/** A control plane that an extension starts processes in. */
export interface Extensible extends Pick<Layout, 'dir' | 'secrets' | 'kubeconfig'> {
  readonly processes: Pick<Processes, 'start' | 'until'>
}

export interface ControlPlane {
  readonly dir: string
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string
  readonly kubeconfigText: string
  readonly server: string
  readonly port: number
  readonly pids: Readonly<Partial<Record<ComponentName, number>>>
  /** Time from the call until all components answered. */
  readonly readyAfterMs: number
  /** Ends all components in order and keeps the data. Idempotent. */
  stop(): Promise<void>
  /** Kills it with SIGKILL. */
  killApiServer(): Promise<void>
  /** Starts it on the same port and waits until it is ready. */
  restartApiServer(): Promise<void>
  killEtcd(): Promise<void>
  restartEtcd(): Promise<void>
  /** Lets the control plane outlive this process. */
  detach(): Promise<void>
  /** A loopback port of this machine that leads to an address in the network of the real node. */
  forward(host: string, port: number): Promise<Forward>
  /** Runs a command inside the real node and returns its output. */
  exec(command: string, ...args: readonly string[]): Promise<string>
}

/**
 * Starts a control plane that ends with this process, unless it is detached.
 *
 * One control plane at a time may run in a directory. Processes of an owner that has died are ended first; a detached
 * control plane that works is an error.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const startedAt = Date.now()
  const at = layout(options.dir)
  await mkdir(at.logs, { recursive: true, mode: 0o700 })
  await chmod(at.dir, 0o700)
  const unlock = await lock(at.lock).catch((error: unknown) => {
    throw error instanceof LockHeld ? new AlreadyRunning(at.dir, error.holder.pid) : error
  })
  try {
    const previous = await readState(at)
    if (previous !== undefined && isDetachedAndWhole(previous)) throw new AlreadyRunning(at.dir)
    if (previous !== undefined) await endRecorded(at, previous)
    const run = new Run(at, options)
    await run.start()
    return await handleOf(at, run, unlock, Date.now() - startedAt)
  } catch (error) {
    await unlock()
    throw error
  }
}

/** A control plane of another owner runs in the directory. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning'
  /** Its owner. Absent: it was detached. */
  readonly holder: number | undefined

  constructor(dir: string, holder?: number) {
    const whose =
      holder === undefined
        ? 'one that was detached runs there; take it down first'
        : `process ${holder} runs one there; stop it first`
    super(`failed to start a control plane in ${dir}: ${whose}, or use its kubeconfig`)
    this.holder = holder
  }
}

const isDetachedAndWhole = (state: ControlPlaneState): boolean =>
  state.owner === undefined && aliveOf(state).length === Object.keys(state.processes).length

async function handleOf(
  at: Layout,
  run: Run,
  unlock: () => Promise<void>,
  readyAfterMs: number,
): Promise<ControlPlane> {
  const nodePid = (): number => {
    const { node } = run.processes.pids()
    if (node === undefined)
      throw new Error('failed to enter the node: this control plane has no real one; start it with nodes: real')
    return node
  }
  return {
    dir: at.dir,
    kubeconfig: at.kubeconfig,
    kubeconfigText: await readFile(at.kubeconfig, 'utf8'),
    server: `https://127.0.0.1:${run.processes.port}`,
    port: run.processes.port,
    get pids() {
      return run.processes.pids()
    },
    readyAfterMs,
    stop: async () => {
      await run.stop()
      await unlock()
    },
    killApiServer: () => run.processes.kill('kube-apiserver'),
    restartApiServer: () => run.restart('kube-apiserver'),
    killEtcd: () => run.processes.kill('etcd'),
    restartEtcd: () => run.restart('etcd'),
    detach: async () => {
      await run.detach()
      await unlock()
    },
    forward: (host, port) => {
      nodePid()
      return forwardPort({ relay: at.relay, host, port })
    },
    exec: async (command, ...args) => await execInNode(nodePid(), command, args),
  }
}
