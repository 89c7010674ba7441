import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf } from '../../src/kernel/index.ts'
import { lock } from '../process/index.ts'
import type { OnProgress } from '../progress.ts'
import { build, hasGo } from './build.ts'
import { cachedPath, isExecutable } from './cache.ts'
import { CATALOGUE } from './catalogue.ts'
import type { BinaryName } from './catalogue.ts'
import { ChecksumMismatch, download, downloadable } from './download.ts'
import { findBinary, findOnPath } from './find.ts'
import { layerHolds, takeFromLayer } from './layer.ts'
import { releaseOf, type Release } from './releases.ts'

/** The first build of everything takes a quarter of an hour on two cores; a second process waits for it. */
const LONGEST_BUILD_MS = 45 * 60_000
const REPORT_EVERY_MS = 1_000

/**
 * Paths of the binaries. Those that neither a variable names nor the cache holds are downloaded where the internet is
 * reachable, otherwise taken from the PATH, otherwise built. An abort ends downloads and builds.
 */
export async function obtainBinaries<Name extends BinaryName>(
  names: readonly Name[],
  onProgress: OnProgress = () => {},
  signal?: AbortSignal,
): Promise<Record<Name, string>> {
  const found = new Map<Name, string | undefined>()
  for (const name of names) found.set(name, await findBinary(name))
  const missing = names.filter((name) => found.get(name) === undefined)
  const reachable = await downloadable(missing)
  for (const [index, name] of missing.entries()) {
    const position = { nth: index + 1, of: missing.length }
    const wanted = [name, ...missing.slice(index + 1)] as const
    found.set(name, await obtain({ wanted, isReachable: reachable.has(name), position, onProgress, signal }))
  }
  return Object.fromEntries(found) as Record<Name, string>
}

interface Making {
  /** The binary to obtain, and those that are missing after it. */
  readonly wanted: readonly [BinaryName, ...BinaryName[]]
  /** Whether the host of its official release answers. */
  readonly isReachable: boolean
  readonly position: { readonly nth: number; readonly of: number }
  readonly onProgress: OnProgress
  readonly signal: AbortSignal | undefined
}

/**
 * Obtains one binary by the first way that this machine offers, and returns its path. Another process that wants it at
 * the same time waits and then uses the same file.
 */
async function obtain({ wanted, isReachable, position, onProgress, signal }: Making): Promise<string> {
  signal?.throwIfAborted()
  const [name] = wanted
  const target = cachedPath(name)
  const startedAt = Date.now()
  const report: Report = (what, detail) =>
    onProgress({ what, ...position, elapsedMs: Date.now() - startedAt, ...(detail === undefined ? {} : { detail }) })
  const unlock = await lock(`${target}.lock`, {
    waitMs: LONGEST_BUILD_MS,
    ...(signal && { signal }),
    onWait: ({ pid }) => report(`waiting for ${name}`, `process ${pid} is obtaining it`),
  })
  const draft = `${target}.${randomUUID()}`
  const make = async (what: string, write: (onDetail: (detail: string) => void) => Promise<void>): Promise<string> => {
    await every(what, report, write)
    await chmod(draft, 0o755)
    await rename(draft, target)
    return target
  }
  try {
    if (await isExecutable(target)) return target
    await mkdir(dirname(target), { recursive: true })
    const { version } = CATALOGUE[name]
    const release = releaseOf(name)
    let reason = unreachable(release)
    if (isReachable && release !== undefined) {
      try {
        return await make(`downloading ${name} ${release.version}`, (onDetail) =>
          download(name, draft, onDetail, signal),
        )
      } catch (error) {
        if (signal?.aborted || error instanceof ChecksumMismatch) throw error
        reason = messageOf(error)
      }
    }
    const onPath = await findOnPath(name)
    if (onPath !== undefined) return onPath
    if (await hasGo())
      return await make(`building ${name} ${version}`, (onDetail) => build(name, draft, onDetail, signal))
    if (layerHolds(name)) return await make(`downloading ${name}`, () => takeFromLayer(name, draft))
    throw new Error(`failed to obtain ${name} ${version}: ${reason}, and Go is not installed; ${await remedy(wanted)}`)
  } finally {
    await rm(draft, { force: true })
    await unlock()
  }
}

type Report = (what: string, detail?: string) => void

function unreachable(release: Release | undefined): string {
  return release === undefined
    ? `there is no official binary for ${process.platform}-${process.arch}`
    : `${process.env['CAELUS_TOOLS_MIRROR'] || release.host} cannot be reached`
}

/** What a person can do, for all binaries at once that are still missing. */
async function remedy(wanted: readonly BinaryName[]): Promise<string> {
  const absent: BinaryName[] = []
  for (const name of wanted) if ((await findOnPath(name)) === undefined) absent.push(name)
  const servers = absent.filter((name) => name !== 'helm').map((name) => `${name} ${CATALOGUE[name].version}`)
  const ways = [
    'connect this machine to the internet',
    'set CAELUS_TOOLS_MIRROR to the URL of a mirror',
    'install Go 1.26 or later, with a GOPROXY that this machine can reach',
    ...(servers.length === 0
      ? []
      : [
          `set KUBEBUILDER_ASSETS to a folder with ${servers.join(', ')}`,
          'set CAELUS_KUBECONFIG to use another control plane',
        ]),
    ...(absent.includes('helm') ? ['set HELM_BIN to the path of a helm'] : []),
  ]
  return `do one of these and start again:\n${ways.map((way) => `      - ${way}`).join('\n')}`
}

/** Reports `what` with its latest detail every second, because a linker or a slow network may say nothing for minutes. */
async function every(
  what: string,
  report: Report,
  work: (onDetail: (detail: string) => void) => Promise<void>,
): Promise<void> {
  let latest: string | undefined
  report(what)
  const timer = setInterval(() => report(what, latest), REPORT_EVERY_MS)
  try {
    await work((detail) => void (latest = detail))
  } finally {
    clearInterval(timer)
  }
}
