import { CATALOGUE, type BinaryName } from './catalogue.ts'
import { checksumOf } from './checksums.ts'

/** Where the project behind a binary publishes it. */
export interface Release {
  readonly host: 'dl.k8s.io' | 'github.com' | 'get.helm.sh'
  readonly version: string
  /** Path of the file on the host. */
  readonly path: string
  /** SHA-256 or SHA-512 of the file, in hexadecimal. */
  readonly checksum: string
  /** Path of the binary inside of the file. Absent: the file is the binary. */
  readonly member?: string
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** The official release for a platform. Undefined: the project publishes none as a file, or its checksum is not pinned. */
export function releaseOf(name: BinaryName, platform = process.platform, arch = process.arch): Release | undefined {
  const architecture = ARCHITECTURES[arch]
  // macOS has no releases of the servers of Kubernetes.
  if (platform !== 'linux' || architecture === undefined) return undefined
  const found = locationOf(name, architecture)
  if (found === undefined) return undefined
  const checksum = checksumOf(`${found.host}${found.path}`)
  return checksum === undefined ? undefined : { ...found, checksum }
}

/** The newest Helm with a pinned checksum. It does the same for us as the version that is built. */
const RELEASED_HELM = '4.3.0'

function locationOf(name: BinaryName, architecture: string): Omit<Release, 'checksum'> | undefined {
  const { module, version } = CATALOGUE[name]
  switch (module) {
    case 'kubernetes': {
      // The changelog has the checksums of archives only.
      const path = `/v${version}/kubernetes-server-linux-${architecture}.tar.gz`
      return { host: 'dl.k8s.io', version, path, member: `kubernetes/server/bin/${name}` }
    }
    case 'etcd': {
      const archive = `etcd-v${version}-linux-${architecture}`
      const path = `/etcd-io/etcd/releases/download/v${version}/${archive}.tar.gz`
      return { host: 'github.com', version, path, member: `${archive}/etcd` }
    }
    case 'helm': {
      const path = `/helm-v${RELEASED_HELM}-linux-${architecture}.tar.gz`
      return { host: 'get.helm.sh', version: RELEASED_HELM, path, member: `linux-${architecture}/helm` }
    }
    case 'kwok': {
      const path = `/kubernetes-sigs/kwok/releases/download/v${version}/kwok-linux-${architecture}`
      return { host: 'github.com', version, path }
    }
    // Its project publishes container images alone.
    case 'gardener':
      return undefined
    default:
      return module satisfies never
  }
}

/** The other binaries in the same file. */
export const besides = (name: BinaryName): BinaryName[] => {
  const path = releaseOf(name)?.path
  const names = Object.keys(CATALOGUE) as BinaryName[]
  return names.filter((other) => other !== name && releaseOf(other)?.path === path)
}
