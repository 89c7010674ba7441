import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { guardPath, releasePath } from '../process/index.ts'
import type { BinaryName } from './catalogue.ts'
import { checksumIn, releaseOf, type Release } from './releases.ts'

const run = promisify(execFile)

/** How long a host may take to answer before it counts as unreachable. */
const REACHABLE_WITHIN_MS = 2_000
/** A transfer without any bytes for this long has failed. */
const STALLED_AFTER_MS = 30_000
const MEGABYTE = 1_000_000

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
    return first !== undefined && (await answers(urlOf(first.release, first.release.checksums))) ? ofHost : []
  })
  return new Set((await Promise.all(asked)).flat().map(({ name }) => name))
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(REACHABLE_WITHIN_MS) }).then(
    () => true,
    () => false,
  )

/** The content differs from what the project published. No other way to obtain the binary is tried. */
export class ChecksumMismatch extends Error {
  override readonly name = 'ChecksumMismatch'
}

/** Downloads the official release to `target`, which appears only when its checksum is right. */
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
    const wanted = await publishedChecksum(release, signal)
    const file = join(work, basename(release.path))
    const found = await save(urlOf(release, release.path), file, onDetail, signal)
    if (found !== wanted)
      throw new ChecksumMismatch(
        `refused ${urlOf(release, release.path)}: its SHA-256 is ${found}, and ${wanted} was published`,
      )
    await rename(await binaryIn(file, release, work), target)
  } finally {
    await rm(work, { recursive: true, force: true })
    releasePath(work)
  }
}

async function publishedChecksum(release: Release, signal: AbortSignal | undefined): Promise<string> {
  const url = urlOf(release, release.checksums)
  const sum = checksumIn(await (await get(url, deadline(signal))).text(), basename(release.path))
  if (sum === undefined) throw new Error(`failed to find the checksum of ${basename(release.path)} in ${url}`)
  return sum
}

const deadline = (signal: AbortSignal | undefined): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(STALLED_AFTER_MS), ...(signal === undefined ? [] : [signal])])

async function get(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { signal }).catch((cause: unknown) => {
    throw new Error(`failed to download ${url}`, { cause })
  })
  if (!response.ok) throw new Error(`failed to download ${url}: the server answered ${response.status}`)
  return response
}

/** Writes the body to `file` and answers its SHA-256. */
async function save(
  url: string,
  file: string,
  onDetail: (detail: string) => void,
  signal: AbortSignal | undefined,
): Promise<string> {
  const stalled = new AbortController()
  const timer = setTimeout(() => {
    stalled.abort(new Error(`failed to download ${url}: no data for ${STALLED_AFTER_MS / 1000} s`))
  }, STALLED_AFTER_MS)
  const either = AbortSignal.any([stalled.signal, ...(signal === undefined ? [] : [signal])])
  try {
    const { body, headers } = await get(url, either)
    if (body === null) throw new Error(`failed to download ${url}: the answer is empty`)
    const size = Number(headers.get('content-length') ?? 0)
    const hash = createHash('sha256')
    let received = 0
    const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        timer.refresh()
        hash.update(chunk)
        received += chunk.length
        onDetail(`${megabytes(received)}${size === 0 ? '' : ` of ${megabytes(size)}`} MB`)
        yield chunk
      }
    }
    await pipeline(body, counted, createWriteStream(file), { signal: either })
    return hash.digest('hex')
  } finally {
    clearTimeout(timer)
  }
}

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0)

async function binaryIn(file: string, { member }: Release, work: string): Promise<string> {
  if (member === undefined) return file
  await run('tar', ['-xzf', file, '-C', work, member])
  return join(work, member)
}
