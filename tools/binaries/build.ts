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

/** Time for Go to remove its temporary files. */
const GRACE_MS = 3_000

/**
 * Compiles the pinned version to `target` and reports the compiler's progress to `onDetail`.
 *
 * Go and its compilers form one process group, which ends when the signal aborts or this process dies. Their temporary
 * files are in a folder beside the target, which is removed with them.
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
    // A lower priority, because tests that need no binary run at the same time.
    if (go.pid !== undefined) setPriority(go.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    const exited = once(go, 'exit') as Promise<[code: number | null, by: NodeJS.Signals | null]>
    release = endedBy(go.pid ?? 0, signal)
    const counts = { downloaded: 0, compiled: 0 }
    const errors: string[] = []
    for await (const line of createInterface({ input: go.stderr })) {
      if (line.startsWith('go: downloading')) counts.downloaded++
      else if (/^[\w./-]+$/.test(line)) counts.compiled++
      else errors.push(line)
      onDetail(`${counts.downloaded} modules downloaded, ${counts.compiled} packages compiled`)
    }
    const [code, by] = await exited
    signal?.throwIfAborted()
    if (code === 0) return
    throw new Error(
      `failed to build ${name} from ${source}: go ended with ${code ?? by}\n${errors.slice(-15).join('\n')}`,
    )
  } finally {
    await release()
    await rm(work, { recursive: true, force: true })
    releasePath(work)
  }
}

/**
 * Ends the process group of `pid` when the signal aborts or this process dies, until the returned function is called.
 * The function resolves when a group that had to end is gone.
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
