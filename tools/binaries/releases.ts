import { CATALOGUE, type BinaryName } from './catalogue.ts'

/** Where the project behind a binary publishes it. */
export interface Release {
  readonly host: 'dl.k8s.io' | 'github.com' | 'get.helm.sh'
  /** Path of the file on the host. */
  readonly path: string
  /** Path of the file with its SHA-256: a sum alone, or lines of sum and file name. */
  readonly checksums: string
  /** Path of the binary inside of the file. Absent: the file is the binary. */
  readonly member?: string
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** The official release of the pinned version for a platform. Undefined: the project publishes none that we can check. */
export function releaseOf(name: BinaryName, platform = process.platform, arch = process.arch): Release | undefined {
  const architecture = ARCHITECTURES[arch]
  // macOS has no releases of the servers of Kubernetes.
  if (platform !== 'linux' || architecture === undefined) return undefined
  const { module, version } = CATALOGUE[name]
  switch (module) {
    case 'kubernetes': {
      const path = `/release/v${version}/bin/linux/${architecture}/${name}`
      return { host: 'dl.k8s.io', path, checksums: `${path}.sha256` }
    }
    case 'etcd': {
      const [folder, archive] = [
        `/etcd-io/etcd/releases/download/v${version}`,
        `etcd-v${version}-linux-${architecture}`,
      ]
      const path = `${folder}/${archive}.tar.gz`
      return { host: 'github.com', path, checksums: `${folder}/SHA256SUMS`, member: `${archive}/etcd` }
    }
    case 'helm': {
      const path = `/helm-v${version}-linux-${architecture}.tar.gz`
      return { host: 'get.helm.sh', path, checksums: `${path}.sha256sum`, member: `linux-${architecture}/helm` }
    }
    case 'kwok': {
      const path = `/kubernetes-sigs/kwok/releases/download/v${version}/kwok-linux-${architecture}`
      return { host: 'github.com', path, checksums: `${path}.sha256` }
    }
    default:
      return module satisfies never
  }
}

/** The SHA-256 that a file of checksums has for a file name. */
export function checksumIn(text: string, fileName: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+\*?/))
  const [found] = lines.filter(([, name]) => name === fileName)
  const alone = lines.length === 1 || lines.slice(1).every(([word]) => word === '') ? lines[0] : undefined
  const sum = found?.[0] ?? (alone?.length === 1 ? alone[0] : undefined)
  return sum !== undefined && /^[0-9a-f]{64}$/i.test(sum) ? sum.toLowerCase() : undefined
}
