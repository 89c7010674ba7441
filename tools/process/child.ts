import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { guardProcess, releaseProcess } from './guard.ts'
import { endProcess, identify } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'

export interface ChildOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Receives stdout and stderr, appended. */
  readonly logFile: string
  /** Added to PATH and HOME; a child inherits nothing else from our environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
  readonly gid?: number
  /** The signal that asks it to end. @default SIGTERM */
  readonly stopSignal?: NodeJS.Signals
}

/** A process in its own session: Ctrl-C in the terminal does not reach it; the guard ends it when this process dies. */
export interface Child {
  readonly name: string
  readonly identity: ProcessIdentity
  /** Set once it has ended: "exited with code 1", "was ended by SIGKILL". */
  readonly ended: () => string | undefined
  /** Sends `stopSignal`, and SIGKILL after the grace period. Resolves when the process is gone. */
  stop(graceMs?: number): Promise<void>
  /** Sends SIGKILL; for tests of faults. */
  kill(): Promise<void>
  /** Lets the process outlive this one. */
  release(): void
  /** An error such as "etcd exited with code 1", with the end of its log. */
  obituary(): Promise<Error>
}

export async function launch(options: ChildOptions): Promise<Child> {
  const { name, command, logFile, stopSignal = 'SIGTERM' } = options
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(command, options.args, {
    cwd: options.cwd,
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] ?? options.cwd, ...options.env },
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  })
  closeSync(log)
  let ended: string | undefined
  const gone = Promise.withResolvers<void>()
  child.once('exit', (code, signal) => {
    ended = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
    releaseProcess(child.pid ?? 0)
    gone.resolve()
  })
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new Error(`failed to start ${name} (${command})`, { cause })
  })
  child.unref()
  const pid = child.pid ?? 0
  const identity = identify(pid) ?? { pid, startedAt: 'ended before it was identified' }
  if (ended === undefined) guardProcess({ ...identity, signal: stopSignal })

  const end = async (signal: NodeJS.Signals, graceMs?: number): Promise<void> => {
    // Keeps this process alive until the child has ended.
    child.ref()
    await endProcess(identity, { signal, ...(graceMs === undefined ? {} : { graceMs }) })
    // Other threads may hold its sockets after the first has ended; its ports are free once the kernel reports the exit.
    await gone.promise
    releaseProcess(pid)
  }
  return {
    name,
    identity,
    ended: () => ended,
    stop: (graceMs) => end(stopSignal, graceMs),
    kill: () => end('SIGKILL'),
    release: () => releaseProcess(pid),
    obituary: async () =>
      new Error(`${name} ${ended ?? 'does not get ready'}; the end of ${logFile}:\n${await lastLines(logFile)}`),
  }
}

/** The last lines of a log, for an error message. */
async function lastLines(file: string, count = 12): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const lines = text.trimEnd().split('\n').slice(-count)
  return lines.map((line) => `  ${line.slice(0, 400)}`).join('\n')
}
