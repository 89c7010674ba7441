import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { lock } from '../process/index.ts'
import type { OnProgress } from '../progress.ts'
import { build, hasGo } from './build.ts'
import { cachedPath, isExecutable } from './cache.ts'
import { CATALOGUE } from './catalogue.ts'
import type { BinaryName } from './catalogue.ts'
import { findBinary } from './find.ts'
import { layerHolds, takeFromLayer } from './layer.ts'

/** The first build of everything takes a quarter of an hour on two cores; a second process waits for it. */
const LONGEST_BUILD_MS = 45 * 60_000
const TELL_EVERY_MS = 1_000

/** Paths of the binaries, made first where this machine does not have them. An abort ends what is being made. */
export async function obtainBinaries<Name extends BinaryName>(
  names: readonly Name[],
  onProgress: OnProgress = () => {},
  signal?: AbortSignal,
): Promise<Record<Name, string>> {
  const found = new Map<Name, string | undefined>()
  for (const name of names) found.set(name, await findBinary(name))
  const missing = names.filter((name) => found.get(name) === undefined)
  for (const [index, name] of missing.entries())
    found.set(name, await make(name, { nth: index + 1, of: missing.length }, onProgress, signal))
  return Object.fromEntries(found) as Record<Name, string>
}

/** Makes one binary. Whoever else wants it at the same time waits, and then finds it made. */
async function make(
  name: BinaryName,
  position: { readonly nth: number; readonly of: number },
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<string> {
  signal?.throwIfAborted()
  const target = cachedPath(name)
  const startedAt = Date.now()
  const tell = (what: string, detail?: string): void =>
    onProgress({ what, ...position, elapsedMs: Date.now() - startedAt, ...(detail === undefined ? {} : { detail }) })
  const unlock = await lock(`${target}.lock`, {
    waitMs: LONGEST_BUILD_MS,
    ...(signal && { signal }),
    onWait: ({ pid }) => tell(`waiting for ${name}`, `process ${pid} is building it`),
  })
  const draft = `${target}.${randomUUID()}`
  try {
    if (await isExecutable(target)) return target
    await mkdir(dirname(target), { recursive: true })
    if (await hasGo()) {
      await buildAloud(name, draft, tell, signal)
    } else if (layerHolds(name)) {
      tell(`downloading ${name}`)
      await takeFromLayer(name, draft)
    } else {
      throw new Error(`failed to find ${name} ${CATALOGUE[name].version}: ${remedy(name)}`)
    }
    await chmod(draft, 0o755)
    await rename(draft, target)
    return target
  } finally {
    await rm(draft, { force: true })
    await unlock()
  }
}

const remedy = (name: BinaryName): string =>
  name === 'helm'
    ? 'install Go 1.26 or later so that it can be built, or set HELM_BIN to a helm of your own'
    : 'install Go 1.26 or later so that it can be built, or set KUBEBUILDER_ASSETS to a folder that has it, or set CAELUS_KUBECONFIG to use a cluster of your own'

/** Builds, and tells every second that it still does: linking alone can take a while in silence. */
async function buildAloud(
  name: BinaryName,
  draft: string,
  tell: (what: string, detail?: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const what = `building ${name} ${CATALOGUE[name].version}`
  let latest: string | undefined
  tell(what)
  const timer = setInterval(() => tell(what, latest), TELL_EVERY_MS)
  try {
    await build(name, draft, (detail) => void (latest = detail), signal)
  } finally {
    clearInterval(timer)
  }
}
