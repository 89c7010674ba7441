import { join } from 'node:path'

/** The one real node: names and addresses that exist only inside its own network. */
export const NODE = { name: 'node-1', address: '10.200.0.1', podRange: '10.244.0.0/24' } as const

const CONTAINERD_SOCKET = '/run/containerd/containerd.sock'

export const containerdConfig = (home: string, packages: string, pauseImage: string): string => `version = 2
root = "${home}/containerd"
state = "/run/containerd"
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.tracing"]
[grpc]
  address = "${CONTAINERD_SOCKET}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${home}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${packages}/usr/lib/cni"
    conf_dir = "${home}/cni"
`

export const networkConfig = (home: string): object => ({
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods0',
      isGateway: true,
      ipMasq: false,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        dataDir: join(home, 'addresses'),
        ranges: [[{ subnet: NODE.podRange }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
})

/** Service addresses lead to pods. It must not touch the connection tracking of the whole kernel. */
export const proxyConfig = (home: string): object => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  mode: 'iptables',
  clusterCIDR: NODE.podRange,
  hostnameOverride: NODE.name,
  clientConnection: { kubeconfig: join(home, 'kube-proxy.kubeconfig') },
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  iptables: { minSyncPeriod: '100ms' },
})

/** `secrets` is the folder with the certificates. */
export const kubeletConfig = (home: string, secrets: string, cgroup: string): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  failCgroupV1: false,
  cgroupDriver: 'cgroupfs',
  cgroupRoot: `/${cgroup}`,
  enforceNodeAllocatable: ['pods'],
  containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: join(secrets, 'ca.crt') },
  },
  authorization: { mode: 'Webhook' },
  tlsCertFile: join(secrets, 'kubelet.crt'),
  tlsPrivateKeyFile: join(secrets, 'kubelet.key'),
  resolvConf: join(home, 'resolv.conf'),
  failSwapOn: false,
  oomScoreAdj: 0,
  podLogsDir: join(home, 'pods'),
  volumePluginDir: join(home, 'plugins'),
  imageGCHighThresholdPercent: 100,
  evictionHard: {
    'memory.available': '100Mi',
    'nodefs.available': '1%',
    'imagefs.available': '1%',
    'nodefs.inodesFree': '1%',
  },
  nodeStatusUpdateFrequency: '2s',
})
