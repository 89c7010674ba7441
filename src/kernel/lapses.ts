import { delayFor, type Backoff } from './backoff.ts'
import { raise } from './errors.ts'
import { keyText } from './key.ts'
import type { Claim, Finish } from './queue/queue.ts'
import type { Random } from './random.ts'

export interface LapseLimits {
  /** The delay after the second lapse, doubled for each further one up to the cap. */
  readonly backoff: Backoff
  /** The lapse at which the key is given up. */
  readonly maxLapses: number
}

/**
 * What to do with a claim instead of running it, when the runs before it never ended: a run that kills its process must
 * not kill one worker after the other. Undefined: run it. One lapse is normal, because any process can be killed.
 *
 * The delay varies by half, so that keys that lapsed in one crash run apart and the harmless ones finish.
 */
export function verdictOnLapses(
  { key, lapses }: Pick<Claim, 'key' | 'lapses'>,
  { backoff, maxLapses }: LapseLimits,
  random: Random,
): Finish | undefined {
  if (lapses >= maxLapses) {
    const message = `${lapses} runs of ${keyText(key)} in a row never ended: their process crashed or hung`
    return { then: 'giveUp', failure: raise.RunNeverEnded(message).failure }
  }
  if (lapses < 2) return undefined
  return {
    then: 'postpone',
    afterMs: Math.round(delayFor(lapses - 1, backoff) * (0.5 + random())),
    because: `the last ${lapses} runs never ended`,
  }
}
