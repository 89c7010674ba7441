import type { Random } from '../src/kernel/index.ts'

/** How likely each fault is, out of 1. */
export interface Faults {
  // At each await on a port:

  /** The process ends there, with everything it had in memory. */
  readonly crash: number
  /** A call never arrives. */
  readonly lost: number
  /** A call is done and its answer never arrives. */
  readonly unanswered: number
  /** A call is done, and done again a moment later; the caller sees the second answer. */
  readonly twice: number
  /** The server answers 503 or 429 and does nothing. */
  readonly refused: number
  /** A watch event comes late, by seconds instead of milliseconds. */
  readonly late: number
  /** A watch event comes twice. */
  readonly repeated: number
  /** The connection of a watch breaks. */
  readonly cut: number
  /** A watch says nothing more and does not end either. */
  readonly deaf: number

  // In every ten seconds of a process:

  /** The process is paused for seconds to minutes, then continues. */
  readonly pause: number
  /** One port of the process is unreachable for a while: calls fail, watches are silent. */
  readonly partition: number
  /** Some connections are clogged one by one and released one by one in another order; what was sent arrives late. */
  readonly clog: number
  /** The wall clock of the process steps, forward or back. */
  readonly step: number
}

export const NO_FAULTS: Faults = {
  crash: 0,
  lost: 0,
  unanswered: 0,
  twice: 0,
  refused: 0,
  late: 0,
  repeated: 0,
  cut: 0,
  deaf: 0,
  pause: 0,
  partition: 0,
  clog: 0,
  step: 0,
}

export const ALL_FAULTS: Faults = {
  crash: 0.03,
  lost: 0.05,
  unanswered: 0.08,
  twice: 0.05,
  refused: 0.03,
  late: 0.1,
  repeated: 0.05,
  cut: 0.05,
  deaf: 0.02,
  pause: 0.12,
  partition: 0.08,
  clog: 0.08,
  step: 0.1,
}

/** Those that happen at an await: their number grows with the calls that a run makes. */
const AT_AWAITS = ['crash', 'lost', 'unanswered', 'twice', 'refused', 'late', 'repeated', 'cut', 'deaf'] as const

/** Fewer faults per await, for runs that make dozens of calls; those per time stay as they are. */
export const perAwait = (faults: Faults, factor: number): Faults => ({
  ...faults,
  ...Object.fromEntries(AT_AWAITS.map((fault) => [fault, faults[fault] * factor])),
})

/**
 * A seed's own mixture (swarm testing): some families left out, the others more or less often. Runs that differ in what
 * goes wrong find more than runs in which everything always does.
 */
export function mixed(faults: Faults, random: Random): Faults {
  const entries = Object.entries(faults).map(([name, chance]) => {
    const isOn = random() < 0.75
    const strength = 0.3 + random() * 2
    return [name, isOn ? Math.min(0.5, chance * strength) : 0] as const
  })
  return Object.fromEntries(entries) as unknown as Faults
}
