import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessIdentity } from './identity.ts'

/** A process that must not outlive this one. */
export interface Guarded extends ProcessIdentity {
  /** The signal that asks it to end. */
  readonly signal: NodeJS.Signals
  /** Whether to end the whole process group that it leads. @default false */
  readonly group?: boolean
}

/** Sent to the guard as one JSON line per change; the last line counts. */
export interface GuardOrders {
  readonly processes: readonly Guarded[]
  readonly paths: readonly string[]
}

/*
 * SIGKILL runs no handlers. The first child therefore starts a guard: a small process in its own session that reads from
 * a pipe. When the pipe closes, the guard ends the processes and removes the directories of the last line.
 */
const processes = new Map<number, Guarded>()
const paths = new Set<string>()
let pipe: Writable | undefined

/** Ends the process when this one dies. */
export function guardProcess(target: Guarded): void {
  processes.set(target.pid, target)
  tell()
}

/** Undoes guardProcess: the process has ended, or may outlive this one. */
export function releaseProcess(pid: number): void {
  if (processes.delete(pid)) tell()
}

/** Removes the directory when this process dies. */
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
