import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { raise, type AppFailureCode } from '../failures.ts'
import type { PARSERS } from './parsers.ts'

/*
 * What strangers wrote is parsed on a thread of its own: a repository's index of 2 MB takes seconds, and leases, other
 * requests and probes do not wait that long. A thread that takes too much time or memory is ended.
 */

type Parsers = typeof PARSERS
export type Parser = keyof Parsers
export type Input<P extends Parser> = Parameters<Parsers[P]>
export type Parsed<P extends Parser> = Awaited<ReturnType<Parsers[P]>>

export interface Job {
  readonly parser: Parser
  readonly input: readonly unknown[]
}

/** What a thread answers with; failures lose their class on the way. */
export type Answer =
  | { readonly is: 'parsed'; readonly value: unknown }
  | { readonly is: 'failed'; readonly code: AppFailureCode; readonly message: string }
  | { readonly is: 'broken'; readonly message: string }

/** TypeScript in a checkout, JavaScript in a release. */
const PROGRAM = join(import.meta.dirname, `parsing-main${extname(import.meta.url)}`)

const LIMIT_MS = 30_000
const MEMORY_MIB = 256

/** `what` completes the sentence "failed to read …". */
export function parsed<P extends Parser>(
  what: string,
  parser: P,
  input: Input<P>,
  signal?: AbortSignal,
): Promise<Parsed<P>> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const job: Job = { parser, input }
    const thread = new Worker(PROGRAM, { workerData: job, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB } })
    const settle = (): void => {
      clearTimeout(limit)
      signal?.removeEventListener('abort', leave)
      thread.removeAllListeners()
      // One that was ended may still say so.
      thread.on('error', () => {})
      void thread.terminate()
    }
    const fail = (error: unknown): void => {
      settle()
      reject(error)
    }
    const leave = (): void => fail(signal?.reason)
    const limit = setTimeout(
      () => fail(raise.ChartInvalid(`failed to read ${what}: it was not parsed within ${LIMIT_MS / 1000} s`)),
      LIMIT_MS,
    )
    signal?.addEventListener('abort', leave, { once: true })
    thread.once('message', (answer: Answer) => {
      if (answer.is === 'failed') return fail(raise[answer.code](answer.message))
      if (answer.is === 'broken') return fail(new Error(`failed to read ${what}: ${answer.message}`))
      settle()
      return resolve(answer.value as Parsed<P>)
    })
    thread.once('error', (cause: NodeJS.ErrnoException) =>
      fail(
        cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? raise.ChartInvalid(`failed to read ${what}: it takes more than ${MEMORY_MIB} MiB`, { cause })
          : cause,
      ),
    )
    thread.once('exit', () => fail(new Error(`failed to read ${what}: the thread ended without an answer`)))
  })
}
