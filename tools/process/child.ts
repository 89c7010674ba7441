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
  /** Added to PATH and HOME, which is all that a child gets from our own environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
  readonly gid?: number
  /** How to ask it to end. @default SIGTERM */
  readonly stopSignal?: NodeJS.Signals
}

/** A process in a session of its own: Ctrl-C in the terminal does not reach it, the death of this process does (guard.ts). */
export interface Child {
  readonly name: string
  readonly identity: ProcessIdentity
  /** Set once it has ended: "exited with code 1", "was ended by SIGKILL". */
  readonly ended: () => string | undefined
  /** Politely first, then by force. Resolves when it is gone. */
  stop(graceMs?: number): Promise<void>
  /** At once, without a chance to clean up; for tests of faults. */
  kill(): Promise<void>
  /** Lets it live on after this process. */
  release(): void
  /** "etcd exited with code 1", with its last words. */
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
  const identity = identify(pid) ?? { pid, startedAt: 'ended before it could be looked at' }
  if (ended === undefined) guardProcess({ ...identity, signal: stopSignal })

  const end = async (signal: NodeJS.Signals, graceMs?: number): Promise<void> => {
    // Whoever waits for its end must live to see it.
    child.ref()
    await endProcess(identity, { signal, ...(graceMs === undefined ? {} : { graceMs }) })
    // Its first thread may be gone while others still hold its sockets; only the kernel's word that all are gone frees its port.
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

/** The end of a log, as much of it as helps in an error message. */
async function lastLines(file: string, count = 12): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const lines = text.trimEnd().split('\n').slice(-count)
  return lines.map((line) => `  ${line.slice(0, 400)}`).join('\n')
}
