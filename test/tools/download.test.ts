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

const CONTENT = '#!/bin/sh\necho published\n'
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

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
    if (!mirror.stuck.has(url)) return response.end(content)
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

/** Publishes a binary as its project does; answers the path of its file on the mirror. */
function publish({ files }: Mirror, name: BinaryName, sumOf: (content: string | Buffer) => string = sha256): string {
  const release = releaseOf(name, 'linux')
  if (release === undefined) throw new Error(`there is no release of ${name}`)
  const { host, path, checksums, member } = release
  const content =
    member === undefined
      ? CONTENT
      : gzipSync(tarOf([{ name: member, type: 'file', mode: 0o755, content: Buffer.from(CONTENT) }]))
  const line = name === 'etcd' ? `${sumOf(content)}  ${path.split('/').at(-1)}\n` : sumOf(content)
  files
    .set(`/${host}${path}`, content)
    .set(`/${host}${checksums}`, name === 'etcd' ? `${'0'.repeat(64)}  other\n${line}` : line)
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
  const wanted = ['kube-apiserver', 'etcd', 'helm', 'kwok'] as const
  for (const name of wanted) publish(mirror, name)
  const steps: Step[] = []
  const found = await obtainBinaries(wanted, (step) => steps.push(step))
  for (const name of wanted) expect(await readFile(found[name], 'utf8')).toBe(CONTENT)
  expect((await cached(mirror)).toSorted()).toEqual([...wanted].toSorted())
  expect(steps).toContainEqual(expect.objectContaining({ what: 'downloading etcd 3.6.6', nth: 2, of: 4 }))

  const before = mirror.asked.length
  expect(await obtainBinaries(wanted)).toEqual(found)
  expect(mirror.asked).toHaveLength(before)
})

onLinux('a file with another checksum is refused and leaves nothing behind', async () => {
  const mirror = await machineWithMirror()
  publish(mirror, 'etcd', () => sha256('something else'))
  await expect(obtainBinaries(['etcd'])).rejects.toThrow(
    new RegExp(
      `refused \\S+etcd-v3.6.6-linux-\\S+: its SHA-256 is \\w+, and ${sha256('something else')} was published`,
    ),
  )
  expect(await cached(mirror)).toEqual([])
})

onLinux('a file without a published checksum is not downloaded', async () => {
  const mirror = await machineWithMirror()
  const path = publish(mirror, 'kwok')
  mirror.files.delete(`${path}.sha256`)
  await expect(obtainBinaries(['kwok'])).rejects.toThrow(
    /kwok-linux-\w+\.sha256: the server answered 404, and Go is not/,
  )
  expect(mirror.asked.filter((asked) => asked === `GET ${path}`)).toEqual([])
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
