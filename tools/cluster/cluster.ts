import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { obtainBinaries } from '../binaries/index.ts'
import { freePort, isFree, launch, lock, ownIdentity } from '../process/index.ts'
import type { Child } from '../process/index.ts'
import type { OnProgress } from '../progress.ts'
import { adminApi } from './api.ts'
import type { AdminApi } from './api.ts'
import { commandLine, COMPONENTS, stopSignalOf, writeSecrets } from './components.ts'
import type { ComponentName } from './components.ts'
import { portIn } from './kubeconfig.ts'
import { layout } from './layout.ts'
import type { Layout } from './layout.ts'
import { keptPki } from './pki.ts'
import { areNodesKept, createSimulatedNodes, freeNodes } from './simulated-nodes.ts'
import { aliveOf, endRecorded, readState, writeState } from './state.ts'
import type { ClusterState } from './state.ts'

export interface ClusterOptions {
  /** Everything the control plane keeps is below this directory; starting there again finds the same objects. */
  readonly dir: string
  /** kwok: pods are scheduled and said to run. none: they stay pending. @default kwok */
  readonly nodes?: 'none' | 'kwok'
  /** How many nodes KWOK pretends to be. @default 3 */
  readonly nodeCount?: number
  readonly onProgress?: OnProgress
}

export interface Cluster {
  readonly dir: string
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string
  readonly kubeconfigText: string
  readonly server: string
  readonly port: number
  readonly pids: Readonly<Partial<Record<ComponentName, number>>>
  /** From the call to the first moment everything below answered. */
  readonly readyAfterMs: number
  /** Ends everything, in reverse order. Harmless twice. The data stays. */
  stop(): Promise<void>
  /** As a crash would: no warning, connections cut. */
  killApiServer(): Promise<void>
  /** Brings it back on the same port and waits until it is ready. */
  restartApiServer(): Promise<void>
  killEtcd(): Promise<void>
  restartEtcd(): Promise<void>
  /** Lets the control plane outlive this process. */
  detach(): Promise<void>
}

const READY_WITHIN_MS = 90_000
const PORT_ATTEMPTS = 5

/**
 * Starts a control plane that ends with this process, however that ends, unless it is detached.
 *
 * One at a time may run in a directory. What an owner who is gone left there is ended first; one that was detached and
 * works is not touched.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const at = layout(options.dir)
  await mkdir(at.logs, { recursive: true, mode: 0o700 })
  await chmod(at.dir, 0o700)
  const unlock = await lock(at.lock)
  try {
    const previous = await readState(at)
    if (previous !== undefined && isDetachedAndWhole(previous)) throw new AlreadyRunning(at.dir)
    if (previous !== undefined) await endRecorded(at, previous)
    return await new Run(at, options, unlock).start()
  } catch (error) {
    await unlock()
    throw error
  }
}

export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning'

  constructor(dir: string) {
    super(
      `failed to start a control plane: one that was detached runs in ${dir}; use its kubeconfig, or take it down first`,
    )
  }
}

const isDetachedAndWhole = (state: ClusterState): boolean =>
  state.owner === undefined && aliveOf(state).length === Object.keys(state.processes).length

/** One run of a control plane: the processes and what has been written down about them. */
class Run {
  private readonly at: Layout
  private readonly options: ClusterOptions
  private readonly unlock: () => Promise<void>
  private readonly children = new Map<ComponentName, Child>()
  private readonly startedAt = Date.now()
  private binaries: Readonly<Record<ComponentName, string>> | undefined
  private api: AdminApi | undefined
  private port = 0
  private detached = false

  constructor(at: Layout, options: ClusterOptions, unlock: () => Promise<void>) {
    this.at = at
    this.options = options
    this.unlock = unlock
  }

  async start(): Promise<Cluster> {
    const nodes = this.options.nodes ?? 'kwok'
    const wanted = COMPONENTS.filter((name) => name !== 'kwok' || nodes === 'kwok')
    const [pki, binaries] = await Promise.all([keptPki(this.at.pki), obtainBinaries(wanted, this.options.onProgress)])
    this.binaries = binaries
    try {
      await this.launch('etcd')
      for (let attempt = 1; ; attempt++) {
        this.port = attempt === 1 ? await this.usualPort() : await freePort()
        await writeSecrets(this.at, pki, this.port)
        this.api = adminApi(this.port, pki)
        if (await this.serves(attempt)) break
        await this.api.close()
      }
      await this.converge(this.api, wanted.slice(2))
    } catch (error) {
      await this.abandon()
      throw new Error(`failed to start a control plane in ${this.at.dir}`, { cause: error })
    }
    return await this.handle()
  }

  /** The one that earlier copies of the kubeconfig name, as long as nobody else has taken it. */
  private async usualPort(): Promise<number> {
    const text = await readFile(this.at.kubeconfig, 'utf8').catch(() => undefined)
    const port = text === undefined ? 0 : portIn(text)
    return port > 0 && (await isFree(port)) ? port : await freePort()
  }

  /** False: somebody else took the port first. */
  private async serves(attempt: number): Promise<boolean> {
    await this.launch('kube-apiserver')
    try {
      await this.until('kube-apiserver is ready', () => this.api?.ready() ?? Promise.resolve(false))
      return true
    } catch (error) {
      if (attempt === PORT_ATTEMPTS || !String(error).includes('address already in use')) throw error
      return false
    }
  }

  /** Starts the rest and waits for a sign of life from each that cannot be a trace of an earlier run. */
  private async converge(api: AdminApi, clients: readonly ComponentName[]): Promise<void> {
    const nodeCount = clients.includes('kwok') ? (this.options.nodeCount ?? 3) : 0
    const account = '/api/v1/namespaces/default/serviceaccounts/default'
    const rootCa = '/api/v1/namespaces/default/configmaps/kube-root-ca.crt'
    await api.call('DELETE', rootCa)
    if (nodeCount > 0) {
      await freeNodes(api)
      await createSimulatedNodes(api, nodeCount)
    }
    for (const name of clients) await this.launch(name)
    await this.until('the controllers work', async () => {
      const found = await Promise.all([account, rootCa].map((path) => api.call('GET', path).catch(() => undefined)))
      return !found.includes(undefined)
    })
    if (nodeCount > 0) await this.until('the nodes are ready', () => areNodesKept(api, nodeCount))
  }

  private async launch(name: ComponentName): Promise<void> {
    this.options.onProgress?.({ what: `starting ${name}`, elapsedMs: Date.now() - this.startedAt })
    const command = this.binaries?.[name]
    if (command === undefined) throw new Error(`failed to start ${name}: its binary was not asked for`)
    const child = await launch({
      name,
      command,
      args: commandLine[name]({ port: this.port }),
      cwd: this.at.dir,
      logFile: this.at.logOf(name),
      stopSignal: stopSignalOf(name),
    })
    this.children.set(name, child)
    await this.writeDown()
  }

  /** Waits for `holds`; fails as soon as a component dies, with its last words. */
  private async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; await delay(25)) {
      if (await holds()) return
      const dead = [...this.children.values()].find((child) => child.ended() !== undefined)
      if (dead !== undefined) throw await dead.obituary()
    }
    const last = [...this.children.values()].at(-1)
    throw new Error(`gave up waiting until ${what} after ${READY_WITHIN_MS / 1000} s`, {
      cause: await last?.obituary(),
    })
  }

  private async writeDown(): Promise<void> {
    await writeState(this.at, {
      port: this.port,
      nodes: this.options.nodes ?? 'kwok',
      processes: Object.fromEntries([...this.children].map(([name, child]) => [name, child.identity])),
      ...(this.detached ? {} : { owner: ownIdentity() }),
    })
  }

  private async endAll(): Promise<void> {
    const { etcd, 'kube-apiserver': apiServer, ...clients } = Object.fromEntries(this.children)
    await Promise.all(Object.values(clients).map((child) => child.stop()))
    await apiServer?.stop()
    await etcd?.stop()
    await this.api?.close()
    await rm(this.at.state, { force: true })
  }

  /** Half started, there is nothing worth an orderly end. */
  private async abandon(): Promise<void> {
    await Promise.all([...this.children.values()].map((child) => child.kill()))
    await this.endAll()
  }

  private async kill(name: ComponentName): Promise<void> {
    await this.children.get(name)?.kill()
  }

  private async restart(name: ComponentName): Promise<void> {
    await this.kill(name)
    await this.launch(name)
    await this.until(`${name} is back`, () => this.api?.ready() ?? Promise.resolve(false))
  }

  private async handle(): Promise<Cluster> {
    const pidOf = ([name, child]: [ComponentName, Child]): [string, number] => [name, child.identity.pid]
    const { children } = this
    return {
      dir: this.at.dir,
      kubeconfig: this.at.kubeconfig,
      kubeconfigText: await readFile(this.at.kubeconfig, 'utf8'),
      server: `https://127.0.0.1:${this.port}`,
      port: this.port,
      get pids() {
        return Object.fromEntries([...children].map(pidOf))
      },
      readyAfterMs: Date.now() - this.startedAt,
      stop: async () => {
        await this.endAll()
        await this.unlock()
      },
      killApiServer: () => this.kill('kube-apiserver'),
      restartApiServer: () => this.restart('kube-apiserver'),
      killEtcd: () => this.kill('etcd'),
      restartEtcd: () => this.restart('etcd'),
      detach: async () => {
        this.detached = true
        await this.writeDown()
        for (const child of children.values()) child.release()
        await this.api?.close()
        await this.unlock()
      },
    }
  }
}
