import { compareVersions, parseVersion } from './version.ts'
import type { Version } from './version.ts'

/** A binary, its pinned version, and which other versions are compatible. */
export interface Binary {
  readonly version: string
  /** The folder in `modules/` whose go.mod and go.sum pin its sources. */
  readonly module: 'etcd' | 'kubernetes' | 'kwok' | 'helm' | 'gardener'
  readonly package: string
  readonly ldflags: readonly string[]
  readonly versionArgs: readonly string[]
  readonly fits: (found: Version) => boolean
}

const KUBERNETES = '1.35.4'
const HELM = '4.3.1'
const GARDENER = '1.150.0'

const sameMinor = (pinned: string) => {
  const { major, minor } = versionIn(pinned)
  return (found: Version): boolean => found.major === major && found.minor === minor
}

const atLeast =
  (lowest: string) =>
  (found: Version): boolean =>
    compareVersions(found, versionIn(lowest)) >= 0

function versionIn(text: string): Version {
  const version = parseVersion(text)
  if (version === undefined) throw new Error(`${text} is not a version`)
  return version
}

const kubernetes = (name: string): Binary => ({
  version: KUBERNETES,
  module: 'kubernetes',
  package: `k8s.io/kubernetes/cmd/${name}`,
  ldflags: [
    `-X k8s.io/component-base/version.gitVersion=v${KUBERNETES}`,
    '-X k8s.io/component-base/version.gitMajor=1',
    '-X k8s.io/component-base/version.gitMinor=35',
    `-X k8s.io/client-go/pkg/version.gitVersion=v${KUBERNETES}`,
  ],
  versionArgs: ['--version'],
  fits: sameMinor(KUBERNETES),
})

const gardener = (name: string): Binary => ({
  version: GARDENER,
  module: 'gardener',
  package: `github.com/gardener/gardener/cmd/${name}`,
  ldflags: [`-X k8s.io/component-base/version.gitVersion=v${GARDENER}`],
  versionArgs: ['--version'],
  fits: sameMinor(GARDENER),
})

export const CATALOGUE = {
  etcd: {
    version: '3.6.6',
    module: 'etcd',
    package: 'go.etcd.io/etcd/server/v3',
    ldflags: [],
    versionArgs: ['--version'],
    // Older versions lack the progress notifications that WatchList needs to finish.
    fits: atLeast('3.5.13'),
  },
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubelet: kubernetes('kubelet'),
  'kube-proxy': kubernetes('kube-proxy'),
  // kubectl supports servers one minor version away in both directions.
  kubectl: {
    ...kubernetes('kubectl'),
    versionArgs: ['version', '--client'],
    fits: ({ major, minor }) => major === 1 && Math.abs(minor - 35) <= 1,
  },
  kwok: {
    version: '0.7.0',
    module: 'kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    ldflags: [],
    versionArgs: ['--version'],
    fits: sameMinor('0.7.0'),
  },
  helm: {
    version: HELM,
    module: 'helm',
    package: 'helm.sh/helm/v4/cmd/helm',
    ldflags: [`-X helm.sh/helm/v4/internal/version.version=v${HELM}`],
    versionArgs: ['version', '--short'],
    fits: atLeast('3.0.0'),
  },
  'gardener-apiserver': gardener('gardener-apiserver'),
  'gardener-controller-manager': gardener('gardener-controller-manager'),
} as const satisfies Record<string, Binary>

export type BinaryName = keyof typeof CATALOGUE
