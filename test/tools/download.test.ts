import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { obtainBinaries, type BinaryName } from '../../tools/binaries/index.ts'
import { releaseOf } from '../../tools/binaries/releases.ts'
import { tarOf } from '../../tools/node/tar.ts'
import type { Step } from '../../tools/progress.ts'
import { freshFolder } from './folder.ts'

afterEach(() => vi.unstubAllEnvs())

/** Replaces the checksums of the repository by those of what a test publishes. */
const pins = vi.hoisted(() => new Map<string, string>())
vi.mock('../../tools/binaries/checksums.ts', () => ({
  checksumOf: (hostAndPath: string) => pins.get(hostAndPath) ?? 'f'.repeat(64),
}))
afterEach(() => pins.clear())

const CONTENT = '#!/bin/sh\necho published\n'
const KUBERNETES = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'kubectl',
] as const

interface Mirror {
  readonly cache: string
  /** Paths that the mirror answers, each with its content. */
  readonly files: Map<string, string | Buffer>
  /** Paths that begin to answer and then send nothing more. */
  readonly stuck: Set<string>
  readonly asked: string[]
}

/** A machine without binaries and Go, and a mirror on loopback with the layout of the official hosts. */
async function machineWithMirror(): Promise<Mirror> {
  const folder = await freshFolder()
  const mirror: Mirror = { cache: join(folder, 'cache'), files: new Map(), stuck: new Set(), asked: [] }
  const server = createServer(({ url = '', method }, response) => {
    mirror.asked.push(`${method} ${url}`)
    const content = mirror.files.get(url)
    if (content === undefined) return response.writeHead(404).end()
    if (method === 'HEAD' || !mirror.stuck.has(url)) return response.end(content)
    response.writeHead(200, { 'content-length': Buffer.byteLength(content) })
    return response.write(content.slice(0, 5))
  })
  const url = await listening(server)
  vi.stubEnv('CAELUS_TOOLS_MIRROR', url)
  vi.stubEnv('CAELUS_CACHE_DIR', mirror.cache)
  vi.stubEnv('PATH', '/usr/bin:/bin')
  vi.stubEnv('KUBEBUILDER_ASSETS', '')
  vi.stubEnv('HELM_BIN', '')
  return mirror
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Publishes the file of a binary as its project does, with a pinned checksum; answers its path on the mirror. */
function publish({ files }: Mirror, name: BinaryName, pinned?: string): string {
  const release = releaseOf(name, 'linux')
  if (release === undefined) throw new Error(`there is no release of ${name}`)
  const { host, path, member } = release
  const all = name.startsWith('kube') ? KUBERNETES : [name]
  const members = all.flatMap((each) => releaseOf(each, 'linux')?.member ?? [])
  const content =
    member === undefined
      ? CONTENT
      : gzipSync(
          tarOf(members.map((each) => ({ name: each, type: 'file', mode: 0o755, content: Buffer.from(CONTENT) }))),
        )
  const algorithm = host === 'dl.k8s.io' ? 'sha512' : 'sha256'
  pins.set(`${host}${path}`, pinned ?? createHash(algorithm).update(content).digest('hex'))
  files.set(`/${host}${path}`, content)
  return `/${host}${path}`
}

/** Files below the cache, except for empty folders. */
const cached = async ({ cache }: Mirror): Promise<string[]> =>
  (await readdir(cache, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

const onLinux = test.runIf(process.platform === 'linux')

onLinux('binaries and archives are downloaded once, verified and kept', async () => {
  const mirror = await machineWithMirror()
  const wanted = ['kube-apiserver', 'etcd', 'kube-scheduler', 'helm', 'kwok'] as const
  for (const name of wanted) publish(mirror, name)
  const steps: Step[] = []
  const found = await obtainBinaries(wanted, (step) => steps.push(step))
  for (const name of wanted) expect(await readFile(found[name], 'utf8')).toBe(CONTENT)
  expect((await cached(mirror)).toSorted()).toEqual([...KUBERNETES, 'etcd', 'helm', 'kwok'].toSorted())
  expect(steps).toContainEqual(expect.objectContaining({ what: 'downloading etcd 3.6.6', nth: 2, of: 5 }))
  const archives = mirror.asked.filter((asked) => /GET .*kubernetes-server/.test(asked))
  expect(archives).toHaveLength(1)

  const before = mirror.asked.length
  expect(await obtainBinaries(wanted)).toEqual(found)
  expect(mirror.asked).toHaveLength(before)
})

onLinux.each(['etcd', 'kube-apiserver', 'kwok'] as const)(
  '%s with another checksum is refused and leaves nothing behind',
  async (name) => {
    const mirror = await machineWithMirror()
    const other = '0'.repeat(name === 'kube-apiserver' ? 128 : 64)
    publish(mirror, name, other)
    await expect(obtainBinaries([name])).rejects.toThrow(
      new RegExp(`refused http://\\S+: its sha\\d+ is \\w+, expected ${other}`),
    )
    expect(await cached(mirror)).toEqual([])
  },
)

onLinux('a download comes before the PATH, and the PATH where the internet is not reachable', async () => {
  const mirror = await machineWithMirror()
  const bin = join(dirname(mirror.cache), 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'etcd'), '#!/bin/sh\necho etcd Version: 3.6.6\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`)
  publish(mirror, 'etcd')
  const { CAELUS_TOOLS_MIRROR } = process.env
  vi.stubEnv('CAELUS_TOOLS_MIRROR', 'http://127.0.0.1:9')
  expect(await obtainBinaries(['etcd'])).toEqual({ etcd: join(bin, 'etcd') })
  vi.stubEnv('CAELUS_TOOLS_MIRROR', CAELUS_TOOLS_MIRROR)
  expect(await readFile((await obtainBinaries(['etcd'])).etcd, 'utf8')).toBe(CONTENT)
})

onLinux('a download that is aborted leaves nothing behind', async () => {
  const mirror = await machineWithMirror()
  const path = publish(mirror, 'kube-scheduler')
  mirror.stuck.add(path)
  const abort = new AbortController()
  const obtaining = obtainBinaries(['kube-scheduler'], () => {}, abort.signal)
  await expect.poll(() => mirror.asked).toContain(`GET ${path}`)
  abort.abort(new Error('stopped'))
  await expect(obtaining).rejects.toThrow('stopped')
  expect(await cached(mirror)).toEqual([])
})

onLinux('a server that fails is passed over where Go is installed', async () => {
  const mirror = await machineWithMirror()
  const bin = join(dirname(mirror.cache), 'bin')
  await mkdir(bin)
  const script = `[ "$1" = version ] && echo go version go1.26.8 && exit\nwhile [ "$1" != -o ]; do shift; done\necho built > "$2"`
  await writeFile(join(bin, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`)
  const { kwok } = await obtainBinaries(['kwok'])
  expect(mirror.asked.some((asked) => asked.startsWith('GET'))).toBe(true)
  expect(await readFile(kwok, 'utf8')).toBe('built\n')
})

onLinux('a host that accepts a connection and never answers is given up within seconds', async () => {
  await machineWithMirror()
  const silent = createServer(() => {})
  vi.stubEnv('CAELUS_TOOLS_MIRROR', await listening(silent))
  await expect(obtainBinaries(['kube-apiserver', 'etcd'])).rejects.toThrow('cannot be reached, and Go is not installed')
})
