import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { endProcess, guardPath, guardProcess, identify, releasePath, releaseProcess } from '../process/index.ts'
import { CATALOGUE } from './catalogue.ts'
import type { BinaryName } from './catalogue.ts'
import { versionOf } from './version.ts'

export const hasGo = async (): Promise<boolean> => (await versionOf('go', ['version'])) !== undefined

/** Long enough for Go to clean up after itself. */
const GRACE_MS = 3_000

/**
 * Compiles the pinned version to `target`. `onDetail` hears how far the compiler is.
 *
 * Go and the compilers that it starts are a group of their own: all of them end at once when the signal says so, and when this
 * process dies. What they write meanwhile lies beside the target and goes with them.
 */
export async function build(
  name: BinaryName,
  target: string,
  onDetail: (detail: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { module, package: source, ldflags } = CATALOGUE[name]
  const args = ['build', '-v', '-trimpath', '-ldflags', ['-s -w', ...ldflags].join(' '), '-o', target, source]
  const work = `${target}.work`
  await mkdir(work)
  guardPath(work)
  let release = async (): Promise<void> => {}
  try {
    const go = spawn('go', args, {
      cwd: fileURLToPath(new URL(`./modules/${module}/`, import.meta.url)),
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOTMPDIR: work },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    // Whoever waits for something else meanwhile, such as the tests that need no binary, should not wait longer.
    if (go.pid !== undefined) setPriority(go.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    const exited = once(go, 'exit') as Promise<[code: number | null, by: NodeJS.Signals | null]>
    release = endedBy(go.pid ?? 0, signal)
    const counts = { downloaded: 0, compiled: 0 }
    const said: string[] = []
    for await (const line of createInterface({ input: go.stderr })) {
      if (line.startsWith('go: downloading')) counts.downloaded++
      else if (/^[\w./-]+$/.test(line)) counts.compiled++
      else said.push(line)
      onDetail(`${counts.downloaded} modules downloaded, ${counts.compiled} packages compiled`)
    }
    const [code, by] = await exited
    signal?.throwIfAborted()
    if (code === 0) return
    throw new Error(
      `failed to build ${name} from ${source}: go ended with ${code ?? by}\n${said.slice(-15).join('\n')}`,
    )
  } finally {
    await release()
    await rm(work, { recursive: true, force: true })
    releasePath(work)
  }
}

/**
 * Ends the group of `pid` when the signal says so or this process dies, until what it answers is called. That resolves when
 * nobody is left of a group that had to end.
 */
function endedBy(pid: number, signal: AbortSignal | undefined): () => Promise<void> {
  const leader = identify(pid)
  if (leader === undefined) return async () => {}
  const target = { ...leader, signal: 'SIGINT', graceMs: GRACE_MS, group: true } as const
  let ending: Promise<void> | undefined
  const end = (): void => void (ending = endProcess(target, target).catch(() => {}))
  guardProcess(target)
  signal?.addEventListener('abort', end, { once: true })
  return async () => {
    signal?.removeEventListener('abort', end)
    await ending
    releaseProcess(pid)
  }
}
