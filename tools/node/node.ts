import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { OnProgress } from '../progress.ts'
import { createCgroup, removeCgroup } from './cgroup.ts'
import { NODE_IMAGES, nodeImages } from './images.ts'
import { runtimePackages } from './packages.ts'
import { canRunNode } from './preflight.ts'
import { containerdConfig, kubeletConfig, networkConfig, NODE, proxyConfig } from './settings.ts'

const run = promisify(execFile)

export interface NodeOptions {
  /** Holds everything of the node; emptied at every start. */
  readonly home: string
  /** The folder with ca.crt, kubelet.crt and kubelet.key. */
  readonly secrets: string
  /** Both name the API server as the node sees it. */
  readonly kubeletKubeconfig: string
  readonly kubeProxyKubeconfig: string
  readonly serviceAddress: string
  readonly binaries: { readonly kubelet: string; readonly kubectl: string; readonly 'kube-proxy': string }
  readonly onProgress?: OnProgress
}

interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/**
 * A node in namespaces of its own: mounts, network, processes, host name. Outside it leaves only the files below `home`
 * and one control group; `discardNode` removes both.
 */
export interface PreparedNode {
  /** The process that makes the namespaces; when it ends, everything inside does. */
  readonly machine: Command
  isUp(): Promise<boolean>
  /** `pid` is that of the machine's process. The returned commands run inside the node. */
  inNetwork(pid: number, what: Command): Promise<Command>
  inside(pid: number, what: Command): Promise<Command>
  readonly relaySocket: string
  readonly relay: Command
  readonly containerd: Command
  readonly kubelet: Command
  readonly kubeProxy: Command
  forward(localPort: number, host: string, port: number): Command
  /** Fills containerd with the images; it must be running. */
  loadImages(pid: number): Promise<void>
}

export async function prepareNode(options: NodeOptions): Promise<PreparedNode> {
  const { home, onProgress = () => {} } = options
  const verdict = await canRunNode(home)
  if (!verdict.ok) throw new Error(`failed to start a real node: ${verdict.because}`)
  await discardNode(home)
  await createCgroup(cgroupOf(home))
  const packages = await runtimePackages(onProgress)
  const images = await nodeImages({ runtime: packages, kubectl: options.binaries.kubectl, onProgress })
  await mkdir(join(home, 'cni'), { recursive: true, mode: 0o700 })
  const files = {
    'containerd.toml': containerdConfig(home, packages, NODE_IMAGES.pause),
    'cni/10-pods.conflist': JSON.stringify(networkConfig(home)),
    'kubelet.json': JSON.stringify(kubeletConfig(home, options.secrets, cgroupOf(home))),
    'kubelet.kubeconfig': options.kubeletKubeconfig,
    'kube-proxy.json': JSON.stringify(proxyConfig(home)),
    'kube-proxy.kubeconfig': options.kubeProxyKubeconfig,
    'resolv.conf': '',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text, { mode: 0o600 })

  const libraries = LIBRARIES[process.arch] ?? ''
  const env = {
    PATH: `${packages}/usr/bin:${packages}/usr/sbin:${process.env['PATH']}`,
    LD_LIBRARY_PATH: `${packages}/usr/lib/${libraries}:${packages}/lib/${libraries}`,
    XTABLES_LIBDIR: `${packages}/usr/lib/${libraries}/xtables`,
  }
  const relaySocket = join(home, 'relay.sock')
  return {
    machine: {
      command: 'unshare',
      args: [
        '--fork',
        '--pid',
        '--kill-child',
        '--mount',
        '--propagation',
        'private',
        '--net',
        '--uts',
        '--ipc',
        '--mount-proc',
        sibling('init', '.sh'),
        home,
      ],
      env: { NODE_NAME: NODE.name, NODE_ADDRESS: NODE.address, SERVICE_ADDRESS: options.serviceAddress },
    },
    isUp: () =>
      access(join(home, 'ready')).then(
        () => true,
        () => false,
      ),
    inNetwork: async (pid, what) => enter(await innermost(pid), ['--net'], what),
    inside: async (pid, what) => enter(await innermost(pid), EVERYTHING, what),
    relaySocket,
    relay: { command: process.execPath, args: [sibling('relay-main'), relaySocket] },
    containerd: { command: `${packages}/usr/bin/containerd`, args: ['--config', join(home, 'containerd.toml')], env },
    kubelet: {
      command: options.binaries.kubelet,
      args: [
        `--config=${home}/kubelet.json`,
        `--kubeconfig=${home}/kubelet.kubeconfig`,
        `--root-dir=${home}/kubelet`,
        `--hostname-override=${NODE.name}`,
        `--node-ip=${NODE.address}`,
      ],
      env,
    },
    kubeProxy: { command: options.binaries['kube-proxy'], args: [`--config=${home}/kube-proxy.json`], env },
    forward: (localPort, host, port) => ({
      command: process.execPath,
      args: [sibling('forward-main'), String(localPort), relaySocket, host, String(port)],
    }),
    async loadImages(pid) {
      for (const image of images) {
        const { command, args } = enter(await innermost(pid), EVERYTHING, {
          command: `${packages}/usr/bin/ctr`,
          args: ['--namespace', 'k8s.io', 'images', 'import', image],
        })
        await run(command, args)
      }
    },
  }
}

const LIBRARIES: Partial<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }
const EVERYTHING = ['--mount', '--net', '--pid', '--uts', '--ipc'] as const

const enter = (pid: number, namespaces: readonly string[], what: Command): Command => ({
  ...what,
  command: 'nsenter',
  args: [`--target=${pid}`, ...namespaces, '--', what.command, ...what.args],
})

/** `unshare` stays outside of the process namespace it makes; its only child is the first process in it. */
async function innermost(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const [first = ''] = children.trim().split(' ')
  if (first === '') throw new Error(`failed to enter the node: process ${pid} does not hold it any more`)
  return Number(first)
}

const sibling = (name: string, extension = extname(import.meta.url)): string =>
  fileURLToPath(new URL(`./${name}${extension}`, import.meta.url))

export const cgroupOf = (home: string): string =>
  `caelus-${createHash('sha256').update(home).digest('hex').slice(0, 12)}`

/** Runs a command inside the node; `pid` is that of the process that holds it. */
export async function execInNode(pid: number, command: string, args: readonly string[]): Promise<string> {
  const entered = enter(await innermost(pid), EVERYTHING, { command, args })
  const { stdout } = await run(entered.command, entered.args)
  return stdout
}

/** Removes what a node leaves outside, once its processes have been ended. */
export async function discardNode(home: string): Promise<void> {
  await removeCgroup(cgroupOf(home))
  await rm(home, { recursive: true, force: true })
}
