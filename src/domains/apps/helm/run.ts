import { spawn } from 'node:child_process'
import { messageOf } from '../../../kernel/index.ts'
import { raise } from '../failures.ts'

export interface RunOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Written to its standard input. @default nothing */
  readonly input?: string | undefined
  /** How long it has to end after it was asked to. */
  readonly graceMs: number
  /** It is ended after so long, whatever it waits for. */
  readonly limitMs: number
  readonly signal?: AbortSignal | undefined
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** What a program says last explains why it failed; what it said before may be dropped. */
const MOST_OUTPUT = 32 * 1024 ** 2

/**
 * Runs a program to its end, in a process group of its own so that what it starts ends with it.
 *
 * An abort asks the group politely, then ends it by force; it rejects with the signal's reason once the program is gone,
 * so that whoever aborts knows that nothing goes on behind their back.
 */
export function run({ command, args, env, input = '', graceMs, limitMs, signal }: RunOptions): Promise<Ran> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, detached: true, stdio: 'pipe' })
    // One that ends without reading says why on its standard error.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const out = collect(child.stdout)
    const err = collect(child.stderr)
    let force: NodeJS.Timeout | undefined
    let isLate = false
    const toGroup = (name: NodeJS.Signals): void => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      try {
        process.kill(-child.pid, name)
      } catch {
        // It has just ended by itself, which is what was wanted.
      }
    }
    const end = (): void => {
      if (force !== undefined) return
      toGroup('SIGTERM')
      force = setTimeout(() => toGroup('SIGKILL'), graceMs)
    }
    const limit = setTimeout(() => {
      isLate = true
      end()
    }, limitMs)
    const settle = (): void => {
      clearTimeout(force)
      clearTimeout(limit)
      signal?.removeEventListener('abort', end)
    }
    signal?.addEventListener('abort', end, { once: true })
    child.once('error', (cause) => {
      settle()
      reject(raise.HelmFailed(`failed to start helm: ${messageOf(cause)}`, { cause }))
    })
    child.once('close', (code, by) => {
      settle()
      if (signal?.aborted) reject(signal.reason as Error)
      else if (isLate) reject(raise.NeverHealthy(`helm did not end within ${limitMs / 1000} s and was stopped`))
      else if (code === null) reject(raise.HelmFailed(`helm was ended by ${by}; nobody here asked for that`))
      else resolve({ code, stdout: out(), stderr: err() })
    })
  })
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let parts: Buffer[] = []
  let size = 0
  stream.on('data', (part: Buffer) => {
    parts.push(part)
    size += part.length
    if (size <= 2 * MOST_OUTPUT) return
    parts = [Buffer.concat(parts).subarray(-MOST_OUTPUT)]
    size = MOST_OUTPUT
  })
  return () => Buffer.concat(parts).toString('utf8')
}
