import { readFile } from 'node:fs/promises'
import { obtainBinaries } from '../binaries/index.ts'
import { NODE, prepareNode } from '../node/index.ts'
import type { PreparedNode } from '../node/index.ts'
import { freePort, isFree, onFreePort } from '../process/index.ts'
import { adminApi } from './api.ts'
import type { AdminApi } from './api.ts'
import type { Certified } from './certificate.ts'
import type { ControlPlaneOptions } from './control-plane.ts'
import { commandLine, writeSecrets } from './components.ts'
import type { CoreName } from './components.ts'
import { kubeconfigText, portIn } from './kubeconfig.ts'
import type { Layout } from './layout.ts'
import { keptPki, SERVICE_ADDRESS } from './pki.ts'
import type { Pki } from './pki.ts'
import { Processes } from './processes.ts'
import { areNodesKept, createSimulatedNodes, freeNodes } from './simulated-nodes.ts'
import type { NodeKind } from './state.ts'

const CORE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const

/** Starts a control plane step by step. */
export class Run {
  readonly processes: Processes
  private readonly at: Layout
  private readonly options: ControlPlaneOptions
  private readonly nodes: NodeKind
  private binaries: Readonly<Partial<Record<string, string>>> = {}
  private api: AdminApi | undefined
  private node: PreparedNode | undefined

  constructor(at: Layout, options: ControlPlaneOptions) {
    this.at = at
    this.options = options
    this.nodes = options.nodes ?? 'kwok'
    this.processes = new Processes(at, this.nodes, options.onProgress, options.signal)
  }

  async start(): Promise<void> {
    const extra = { none: [], kwok: ['kwok'], real: ['kubelet', 'kubectl', 'kube-proxy'] } as const
    const [pki, binaries] = await Promise.all([
      keptPki(this.at.pki),
      obtainBinaries([...CORE, ...extra[this.nodes]], this.options.onProgress, this.options.signal),
    ])
    this.binaries = binaries
    try {
      await this.startCore('etcd')
      if (this.nodes === 'real') this.node = await this.startMachine(pki)
      const api = await this.serve(pki)
      await this.converge(api)
      await this.options.extend?.({ ...this.at, processes: this.processes })
    } catch (error) {
      await this.api?.close()
      await this.processes.abandon()
      throw new Error(`failed to start a control plane in ${this.at.dir}`, { cause: error })
    }
  }

  async stop(): Promise<void> {
    await this.processes.end()
    await this.api?.close()
  }

  async detach(): Promise<void> {
    await this.processes.detach()
    await this.api?.close()
  }

  async restart(name: CoreName): Promise<void> {
    await this.processes.kill(name)
    await this.startCore(name)
    await this.processes.until(`${name} is back`, async () => (await this.isReady()) && (await this.reads()))
  }

  private async startCore(name: CoreName): Promise<void> {
    const command = this.binaries[name]
    if (command === undefined) throw new Error(`failed to start ${name}: its binary was not asked for`)
    const { node } = this
    const what = { command, args: commandLine[name]({ port: this.processes.port, onNode: node !== undefined }) }
    const { node: machine = 0 } = this.processes.pids()
    const placed = name === 'kube-apiserver' && node !== undefined ? await node.inNetwork(machine, what) : what
    await this.processes.start(name, placed)
  }

  /** Starts the API server on a free loopback port. */
  private serve(pki: Pki): Promise<AdminApi> {
    return onFreePort(
      async (port) => {
        this.processes.port = port
        await writeSecrets(this.at, pki, port, this.options.clientAuthorities)
        const api = (this.api = adminApi(port, pki))
        if (!this.processes.isRunning('kube-apiserver')) await this.startCore('kube-apiserver')
        if (this.node !== undefined)
          await this.processes.start('api-forward', this.node.forward(port, '127.0.0.1', 443))
        try {
          await this.processes.until('kube-apiserver is ready', () => this.isReady())
          return api
        } catch (error) {
          await api.close()
          throw error
        }
      },
      () => this.usualPort(),
    )
  }

  /** The port of earlier copies of the kubeconfig, if it is free. */
  private async usualPort(): Promise<number> {
    const text = await readFile(this.at.kubeconfig, 'utf8').catch(() => undefined)
    const port = text === undefined ? 0 : portIn(text)
    return port > 0 && (await isFree(port)) ? port : await freePort()
  }

  private isReady(): Promise<boolean> {
    return this.api?.ready() ?? Promise.resolve(false)
  }

  /** Whether it reads from etcd. Its own health check still reports success a second after etcd has died. */
  private async reads(): Promise<boolean> {
    const found = await this.api?.call('GET', '/api/v1/namespaces/default').catch(() => undefined)
    return found !== undefined
  }

  /** Starts the other components and waits for an effect of each that an earlier run cannot have left. */
  private async converge(api: AdminApi): Promise<void> {
    const account = '/api/v1/namespaces/default/serviceaccounts/default'
    const rootCa = '/api/v1/namespaces/default/configmaps/kube-root-ca.crt'
    const nodeCount = { none: 0, kwok: this.options.nodeCount ?? 3, real: 1 }[this.nodes]
    await api.call('DELETE', rootCa)
    await freeNodes(api)
    await this.startCore('kube-controller-manager')
    await this.startCore('kube-scheduler')
    if (this.nodes === 'kwok') {
      await createSimulatedNodes(api, nodeCount)
      await this.startCore('kwok')
    }
    if (this.node !== undefined) await this.startKubelet(this.node)
    await this.processes.until('the controllers work', async () => {
      const found = await Promise.all([account, rootCa].map((path) => api.call('GET', path).catch(() => undefined)))
      return !found.includes(undefined)
    })
    if (nodeCount > 0) await this.processes.until('the nodes are ready', () => areNodesKept(api, nodeCount))
  }

  /** Starts the namespaces and the container runtime of the real node, without a kubelet yet. */
  private async startMachine(pki: Pki): Promise<PreparedNode> {
    const { kubelet = '', kubectl = '', 'kube-proxy': kubeProxy = '' } = this.binaries
    const asSeenInside = (user: Certified): string => kubeconfigText(`https://${NODE.address}`, pki.ca.cert, user)
    const node = await prepareNode({
      home: this.at.node,
      secrets: this.at.secrets,
      kubeletKubeconfig: asSeenInside(pki.kubelet),
      kubeProxyKubeconfig: asSeenInside(pki.kubeProxy),
      serviceAddress: SERVICE_ADDRESS,
      binaries: { kubelet, kubectl, 'kube-proxy': kubeProxy },
      ...(this.options.onProgress === undefined ? {} : { onProgress: this.options.onProgress }),
    })
    const machine = await this.processes.start('node', node.machine)
    await this.processes.until('the node has its namespaces', () => node.isUp())
    await this.processes.start('relay', await node.inNetwork(machine, node.relay))
    await this.processes.start('containerd', await node.inside(machine, node.containerd))
    return node
  }

  private async startKubelet(node: PreparedNode): Promise<void> {
    const { node: machine = 0 } = this.processes.pids()
    await this.processes.until('containerd has the images', () =>
      node.loadImages(machine).then(
        () => true,
        () => false,
      ),
    )
    await this.processes.start('kubelet', await node.inside(machine, node.kubelet))
    await this.processes.start('kube-proxy', await node.inside(machine, node.kubeProxy))
  }
}
