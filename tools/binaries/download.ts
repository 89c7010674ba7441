import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { Deadline, fetchUrl, openUrl, MinimumRate, problemOfStatus } from '../../src/http/index.ts'
import { systemClock } from '../../src/kernel/index.ts'
import { guardPath, releasePath } from '../process/index.ts'
import { cachedPath, isExecutable } from './cache.ts'
import type { BinaryName } from './catalogue.ts'
import { besides, releaseOf, type Release } from './releases.ts'

const run = promisify(execFile)

/** How long a host may take to answer before it counts as unreachable. */
const REACHABLE_WITHIN_MS = 2_000
/** For the answer to begin. */
const TIMEOUT_MS = 30_000
/** A slower transfer would take hours. */
const MINIMUM_RATE = { bytes: 256_000, everyMs: 30_000 }
const MEGABYTE = 1_000_000
const LARGEST_BINARY = 1_000 * MEGABYTE
/** Releases of GitHub redirect to another host. */
const REDIRECTS = { max: 5 }

/** `CAELUS_TOOLS_MIRROR` has a folder per host: `<mirror>/dl.k8s.io/release/…`. */
const urlOf = ({ host }: Release, path: string, env: NodeJS.ProcessEnv = process.env): string =>
  `${env['CAELUS_TOOLS_MIRROR'] || 'https:/'}/${host}${path}`

/** The binaries among `names` whose host answers. All hosts are asked at once, so that this takes two seconds at most. */
export async function downloadable<Name extends BinaryName>(names: readonly Name[]): Promise<ReadonlySet<Name>> {
  const releases = names.flatMap((name) => {
    const release = releaseOf(name)
    return release === undefined ? [] : [{ name, release }]
  })
  const byHost = Map.groupBy(releases, ({ release }) => release.host)
  const asked = [...byHost.values()].map(async (ofHost) => {
    const [first] = ofHost
    return first !== undefined && (await answers(urlOf(first.release, first.release.path))) ? ofHost : []
  })
  return new Set((await Promise.all(asked)).flat().map(({ name }) => name))
}

const answers = (url: string): Promise<boolean> =>
  fetchUrl({ url, method: 'HEAD', timeoutMs: REACHABLE_WITHIN_MS, maxBytes: 0 }).then(
    () => true,
    () => false,
  )

/** The content differs from what the project published. No other way to obtain the binary is tried. */
export class ChecksumMismatch extends Error {
  override readonly name = 'ChecksumMismatch'
}

/**
 * Downloads the official release to `target`, which appears only when its checksum is the pinned one. Other binaries in
 * the same archive are put into the cache as well.
 */
export async function download(
  name: BinaryName,
  target: string,
  onDetail: (detail: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const release = releaseOf(name)
  if (release === undefined) throw new Error(`failed to download ${name}: there is no release for this platform`)
  const work = `${target}.download`
  await mkdir(work)
  guardPath(work)
  try {
    const url = urlOf(release, release.path)
    const algorithm = release.checksum.length === 64 ? 'sha256' : 'sha512'
    const file = join(work, basename(release.path))
    const found = await save(url, file, algorithm, onDetail, signal)
    if (found !== release.checksum)
      throw new ChecksumMismatch(`refused ${url}: its ${algorithm} is ${found}, expected ${release.checksum}`)
    if (release.member === undefined) return await rename(file, target)
    const others = besides(name).flatMap((other) => {
      const { member } = releaseOf(other) ?? {}
      return member === undefined ? [] : [{ member, path: cachedPath(other) }]
    })
    await run('tar', ['-xzf', file, '-C', work, release.member, ...others.map(({ member }) => member)])
    for (const { member, path } of others) if (!(await isExecutable(path))) await rename(join(work, member), path)
    await rename(join(work, release.member), target)
  } finally {
    await rm(work, { recursive: true, force: true })
    releasePath(work)
  }
}

const failedTo =
  (url: string, signal: AbortSignal | undefined) =>
  (cause: unknown): never => {
    signal?.throwIfAborted()
    throw new Error(`failed to download ${url}`, { cause })
  }

function requireSuccess(url: string, status: number): void {
  if (problemOfStatus(status) !== undefined) throw new Error(`failed to download ${url}: the server answered ${status}`)
}

/** Writes the body to `file` and answers its checksum. */
async function save(
  url: string,
  file: string,
  algorithm: 'sha256' | 'sha512',
  onDetail: (detail: string) => void,
  signal: AbortSignal | undefined,
): Promise<string> {
  const slow = new AbortController()
  const either = signal === undefined ? slow.signal : AbortSignal.any([signal, slow.signal])
  using deadline = new Deadline(systemClock, TIMEOUT_MS, either)
  const { status, headers, body } = await openUrl(
    { url, maxBytes: LARGEST_BINARY, redirects: REDIRECTS },
    deadline,
  ).catch(failedTo(url, signal))
  requireSuccess(url, status)
  deadline.begun()
  using rate = new MinimumRate(systemClock, MINIMUM_RATE, (error) => slow.abort(error))
  const size = Number(headers.get('content-length') ?? 0)
  const hash = createHash(algorithm)
  let received = 0
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      rate.add(chunk.length)
      hash.update(chunk)
      received += chunk.length
      onDetail(`${megabytes(received)}${size === 0 ? '' : ` of ${megabytes(size)}`} MB`)
      yield chunk
    }
  }
  await pipeline(body, counted, createWriteStream(file), { signal: either }).catch(failedTo(url, signal))
  return hash.digest('hex')
}

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0)
