import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NODE } from '../node/index.ts'
import { kubeconfigText } from './kubeconfig.ts'
import type { Layout } from './layout.ts'
import { FRONT_PROXY_NAME, SERVICE_RANGE } from './pki.ts'
import type { Pki } from './pki.ts'

/** The processes of every control plane. */
export type CoreName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok'

/** Those of a real node: the holder of its namespaces, relay and forward into its network, containerd, kubelet, kube-proxy. */
type NodeName = 'node' | 'relay' | 'api-forward' | 'containerd' | 'kubelet' | 'kube-proxy'

/** Those that an extension starts. */
type ExtensionName = 'gardener-apiserver' | 'gardener-controller-manager'

export type ComponentName = CoreName | NodeName | ExtensionName

/** Stateless components are killed at once: a graceful end takes a second and saves nothing. */
export const stopSignalOf = (name: ComponentName): NodeJS.Signals =>
  name === 'etcd' || name === 'kube-apiserver' ? 'SIGTERM' : 'SIGKILL'

/** KWOK manages only the nodes with this annotation. */
export const SIMULATED = 'kwok.x-k8s.io/node'

/**
 * What the command lines below refer to. Relative to the directory in which every component runs. Clients with certificates
 * of `otherAuthorities` are known to the API server as well.
 */
export async function writeSecrets(
  at: Layout,
  pki: Pki,
  port: number,
  otherAuthorities: readonly string[] = [],
): Promise<void> {
  const server = `https://127.0.0.1:${port}`
  const files: Record<string, string> = {
    'ca.crt': pki.ca.cert,
    'client-ca.crt': [pki.ca.cert, ...otherAuthorities].join(''),
    'ca.key': pki.ca.key,
    'apiserver.crt': pki.apiServer.cert,
    'apiserver.key': pki.apiServer.key,
    'front-proxy-ca.crt': pki.frontProxyCa.cert,
    'front-proxy.crt': pki.frontProxy.cert,
    'front-proxy.key': pki.frontProxy.key,
    'kubelet.crt': pki.kubelet.cert,
    'kubelet.key': pki.kubelet.key,
    'admin.crt': pki.admin.cert,
    'admin.key': pki.admin.key,
    'service-account.pub': pki.serviceAccount.publicKey,
    'service-account.key': pki.serviceAccount.privateKey,
    'kube-controller-manager.kubeconfig': kubeconfigText(server, pki.ca.cert, pki.controllerManager),
    'kube-scheduler.kubeconfig': kubeconfigText(server, pki.ca.cert, pki.scheduler),
    'kwok.kubeconfig': kubeconfigText(server, pki.ca.cert, pki.kwok),
  }
  await mkdir(at.secrets, { recursive: true, mode: 0o700 })
  const write = ([name, text]: [string, string]): Promise<void> =>
    writeFile(join(at.secrets, name), text, { mode: 0o600 })
  await Promise.all(Object.entries(files).map(write))
  await writeFile(at.kubeconfig, kubeconfigText(server, pki.ca.cert, pki.admin), { mode: 0o600 })
}

/** etcd has no port, only a socket in the state directory, which only its owner can enter. */
export const ETCD_SOCKET = 'unix://etcd.sock'

const ON_LOOPBACK = ['--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', '--endpoint-reconciler-type=none']

const ON_NODE = [
  '--bind-address=0.0.0.0',
  `--advertise-address=${NODE.address}`,
  '--kubelet-preferred-address-types=InternalIP',
  '--kubelet-certificate-authority=secrets/ca.crt',
  '--kubelet-client-certificate=secrets/admin.crt',
  '--kubelet-client-key=secrets/admin.key',
]

export interface CommandOptions {
  readonly port: number
  /** Whether it runs in the network of a real node, where pods reach it and it reaches the kubelet. */
  readonly onNode: boolean
}

export const commandLine: Record<CoreName, (options: CommandOptions) => readonly string[]> = {
  etcd: () => [
    '--name=local',
    '--data-dir=etcd',
    `--listen-client-urls=${ETCD_SOCKET}`,
    '--advertise-client-urls=http://localhost:2379',
    '--listen-peer-urls=unix://etcd-peer.sock',
    '--initial-advertise-peer-urls=http://localhost:2380',
    '--initial-cluster=local=http://localhost:2380',
    // The data of a local control plane need not survive a power failure.
    '--unsafe-no-fsync',
    '--auto-compaction-mode=periodic',
    '--auto-compaction-retention=1h',
    '--log-level=warn',
  ],
  'kube-apiserver': ({ port, onNode }) => [
    `--etcd-servers=${ETCD_SOCKET}`,
    ...(onNode ? ON_NODE : ON_LOOPBACK),
    `--secure-port=${onNode ? 443 : port}`,
    '--tls-cert-file=secrets/apiserver.crt',
    '--tls-private-key-file=secrets/apiserver.key',
    '--client-ca-file=secrets/client-ca.crt',
    '--anonymous-auth=false',
    '--authorization-mode=Node,RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-account-key-file=secrets/service-account.pub',
    '--service-account-signing-key-file=secrets/service-account.key',
    '--requestheader-client-ca-file=secrets/front-proxy-ca.crt',
    `--requestheader-allowed-names=${FRONT_PROXY_NAME}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--proxy-client-cert-file=secrets/front-proxy.crt',
    '--proxy-client-key-file=secrets/front-proxy.key',
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    '--shutdown-delay-duration=0s',
    '--profiling=false',
  ],
  'kube-controller-manager': () => [
    '--kubeconfig=secrets/kube-controller-manager.kubeconfig',
    '--secure-port=0',
    '--leader-elect=false',
    '--use-service-account-credentials=false',
    '--service-account-private-key-file=secrets/service-account.key',
    '--root-ca-file=secrets/ca.crt',
    '--cluster-signing-cert-file=secrets/ca.crt',
    '--cluster-signing-key-file=secrets/ca.key',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    '--flex-volume-plugin-dir=plugins',
    // A simulated node that is starved of CPU for a while must not lose its pods: nothing would make them ready again.
    '--node-monitor-grace-period=24h',
    // An autoscaler acts after one period. The default of 15 s is for many workloads.
    '--horizontal-pod-autoscaler-sync-period=3s',
    '--profiling=false',
  ],
  'kube-scheduler': () => [
    '--kubeconfig=secrets/kube-scheduler.kubeconfig',
    '--secure-port=0',
    '--leader-elect=false',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    '--profiling=false',
  ],
  kwok: () => [
    '--kubeconfig=secrets/kwok.kubeconfig',
    '--manage-all-nodes=false',
    `--manage-nodes-with-annotation-selector=${SIMULATED}=fake`,
    '--node-lease-duration-seconds=40',
    '--config=',
  ],
}
