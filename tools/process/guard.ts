import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessIdentity } from './identity.ts'

/** A process that must not outlive this one. */
export interface Guarded extends ProcessIdentity {
  /** How to ask it to end. */
  readonly signal: NodeJS.Signals
  /** Whether it leads a process group, all of which goes. @default false */
  readonly group?: boolean
}

/** What the guard is told, one JSON line each time it changes; the last line counts. */
export interface GuardOrders {
  readonly processes: readonly Guarded[]
  readonly paths: readonly string[]
}

/*
 * No handler runs in a process that is killed with SIGKILL. So the first child comes with a guard: a small process in a
 * session of its own that reads from a pipe. When the pipe closes, however that came about, the guard ends the processes
 * and removes the directories it was told about last.
 */
const processes = new Map<number, Guarded>()
const paths = new Set<string>()
let pipe: Writable | undefined

/** From now on the process dies with this one. */
export function guardProcess(target: Guarded): void {
  processes.set(target.pid, target)
  tell()
}

/** The process is gone, or is to live on without this one. */
export function releaseProcess(pid: number): void {
  if (processes.delete(pid)) tell()
}

/** From now on the directory goes when this process does. */
export function guardPath(path: string): void {
  paths.add(path)
  tell()
}

export function releasePath(path: string): void {
  if (paths.delete(path)) tell()
}

function tell(): void {
  const orders: GuardOrders = { processes: [...processes.values()], paths: [...paths] }
  pipe ??= startGuard()
  pipe.write(`${JSON.stringify(orders)}\n`)
}

function startGuard(): Writable {
  const main = fileURLToPath(new URL(`./guard-main${extname(import.meta.url)}`, import.meta.url))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] },
  })
  child.on('error', () => {})
  child.unref()
  const { stdin } = child
  stdin.on('error', () => {})
  ;(stdin as unknown as { unref(): void }).unref()
  return stdin
}
