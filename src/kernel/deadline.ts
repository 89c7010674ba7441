import { elapsedSince, instantOf, type Clock } from './clock.ts'
import { raise } from './errors.ts'

export interface Deadline<T> {
  readonly clock: Clock
  readonly ms: number
  /** The call, for the message of the failure. */
  readonly call: string
  /** Receives an answer that comes after the deadline. */
  readonly late?: (answer: T) => void
}

/**
 * The answer of `ask`, or `TimedOut` when none has come within `ms`.
 *
 * The time is measured when the answer comes as well, because the timers of a suspended process fire late.
 */
export function answerWithin<T>({ clock, ms, call, late }: Deadline<T>, ask: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const asked = instantOf(clock)
    let isOver = false
    const giveUp = (): void => {
      isOver = true
      reject(raise.TimedOut(`${call} gave no answer within ${ms} ms`))
    }
    const cancel = clock.after(ms, giveUp)
    const settle = async (): Promise<void> => {
      try {
        const answer = await ask()
        if (!isOver && elapsedSince(clock, asked) >= ms) giveUp()
        if (isOver) late?.(answer)
        else resolve(answer)
      } catch (error) {
        reject(error)
      } finally {
        cancel()
      }
    }
    void settle()
  })
}
