import { failureOf, sleep, systemClock, type Clock } from '../kernel/index.ts'
import { ServerRefusal } from './client.ts'
import { raise } from './failures.ts'
import type { Terminal } from './ports.ts'

/** What the present state means for the wait. `text` is shown. */
export type Verdict<R> =
  | { readonly is: 'settled'; readonly value: R; readonly text?: string }
  | { readonly is: 'waiting'; readonly text: string }
  /** It will not settle unless a person acts. */
  | { readonly is: 'failed'; readonly error: Error; readonly text?: string }

export interface WaitOptions {
  /** What is waited for, such as `shop/cart`. */
  readonly name: string
  readonly timeoutMs: number
  readonly clock?: Clock
}

const POLL_MS = 500
const CLEAR = '\r\u001B[2K'

/**
 * Polls until the state settles, fails or the time is over (`NotConvergedInTime`). A server that does not answer, or says
 * that a retry may help, does not end the wait.
 */
export async function untilSettled<T, R>(
  get: () => Promise<T>,
  verdict: (now: T) => Verdict<R>,
  terminal: Pick<Terminal, 'err' | 'isInteractive'>,
  { name, timeoutMs, clock = systemClock }: WaitOptions,
): Promise<R> {
  const start = clock.elapsed()
  const progress = progressOf(terminal, () => clock.elapsed() - start)
  try {
    for (let last = 'no answer yet'; ; await sleep(clock, POLL_MS)) {
      const now = await get().then(verdict, unanswered)
      if (now.text !== undefined) progress.show((last = now.text))
      if (now.is === 'settled') return now.value
      if (now.is === 'failed') throw now.error
      if (clock.elapsed() - start >= timeoutMs) {
        throw raise.NotConvergedInTime(`${name} has not settled after ${timeoutMs / 1000} s: ${last}`)
      }
    }
  } finally {
    progress.end()
  }
}

function unanswered(error: Error): Verdict<never> {
  const failure = error instanceof ServerRefusal ? error.failure : failureOf(error)
  const mayPass = failure.retryable && failure.code !== 'Unexpected'
  return mayPass ? { is: 'waiting', text: failure.message } : { is: 'failed', error }
}

/** On a terminal one line that is overwritten and shows the time; otherwise a line for every change. */
function progressOf({ err, isInteractive }: Pick<Terminal, 'err' | 'isInteractive'>, elapsedMs: () => number) {
  let shown = ''
  return {
    show(text: string): void {
      if (isInteractive) err(`${CLEAR}${text} (${Math.floor(elapsedMs() / 1000)} s)`)
      else if (text !== shown) err(`${text}\n`)
      shown = text
    },
    end(): void {
      if (isInteractive && shown !== '') err('\n')
    },
  }
}
