import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
  /** It is ended by force once it holds more memory. @default no limit */
  readonly memoryBytes?: number | undefined
  /** It is ended by force once it has written more to its standard output. @default 32 MiB */
  readonly outputBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Ends it by force and at once: it has done nothing yet that it would have to take back. */
  readonly stop?: AbortSignal | undefined
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const OUTPUT_BYTES = 32 * 1024 ** 2
/** What a program says last explains why it failed; what it said before may be dropped. */
const COMPLAINT_BYTES = 2 * 1024 ** 2
/** Templates that do not end allocate about 1 GiB in a second. */
const MEMORY_EVERY_MS = 50

/**
 * Runs a program to its end, in a process group of its own so that what it starts ends with it.
 *
 * An abort asks the group politely, then ends it by force; it rejects with the signal's reason once the program is gone,
 * so that after an abort nothing keeps running.
 */
export function run(options: RunOptions): Promise<Ran> {
  const { command, args, env, input = '', graceMs, limitMs, memoryBytes, outputBytes = OUTPUT_BYTES } = options
  const { signal, stop } = options
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, detached: true, stdio: 'pipe' })
    // One that ends without reading says why on its standard error.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    let stopped: Error | undefined
    const out = collect(child.stdout, outputBytes, () => kill(tooLarge(`wrote more than ${mebibytes(outputBytes)}`)))
    const err = collectTail(child.stderr)
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
    const kill = (why: Error): void => {
      stopped ??= why
      toGroup('SIGKILL')
    }
    const onStop = (): void => kill(stop?.reason as Error)
    const memory =
      memoryBytes === undefined
        ? undefined
        : watchMemory(child.pid, memoryBytes, () =>
            kill(tooLarge(`took more than ${mebibytes(memoryBytes)} of memory`)),
          )
    const limit = setTimeout(() => {
      isLate = true
      end()
    }, limitMs)
    const settle = (): void => {
      clearTimeout(force)
      clearTimeout(limit)
      clearInterval(memory)
      signal?.removeEventListener('abort', end)
      stop?.removeEventListener('abort', onStop)
    }
    stop?.addEventListener('abort', onStop, { once: true })
    signal?.addEventListener('abort', end, { once: true })
    child.once('error', (cause) => {
      settle()
      reject(raise.HelmFailed(`failed to start helm: ${messageOf(cause)}`, { cause }))
    })
    child.once('close', (code, by) => {
      settle()
      if (stopped !== undefined) reject(stopped)
      else if (signal?.aborted) reject(signal.reason as Error)
      else if (isLate) reject(raise.NeverHealthy(`helm did not end within ${limitMs / 1000} s and was stopped`))
      else if (code === null) reject(raise.HelmFailed(`helm was ended by ${by}, which Caelus did not send`))
      else resolve({ code, stdout: out(), stderr: err() })
    })
  })
}

const tooLarge = (what: string) => raise.RenderTooLarge(`helm ${what} and was stopped`)
const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

/** Where the kernel does not tell, nothing is limited. */
function watchMemory(pid: number | undefined, most: number, onExcess: () => void): NodeJS.Timeout | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined
  return setInterval(() => {
    if (residentBytes(pid) > most) onExcess()
  }, MEMORY_EVERY_MS).unref()
}

/** From procfs, which answers without waiting: cheaper than a turn of the thread pool. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES
  } catch {
    return 0
  }
}

const PAGE_BYTES = 4096

function collect(stream: NodeJS.ReadableStream, most: number, onExcess: () => void): () => string {
  const parts: Buffer[] = []
  let size = 0
  stream.on('data', (part: Buffer) => {
    size += part.length
    if (size <= most) parts.push(part)
    else onExcess()
  })
  return () => Buffer.concat(parts).toString('utf8')
}

function collectTail(stream: NodeJS.ReadableStream): () => string {
  let parts: Buffer[] = []
  let size = 0
  stream.on('data', (part: Buffer) => {
    parts.push(part)
    size += part.length
    if (size <= 2 * COMPLAINT_BYTES) return
    parts = [Buffer.concat(parts).subarray(-COMPLAINT_BYTES)]
    size = COMPLAINT_BYTES
  })
  return () => Buffer.concat(parts).toString('utf8')
}
