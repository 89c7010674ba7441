import { createEmitter, type KernelEvents } from './emitter.ts'
import type { Failure } from './errors.ts'
import type { Key } from './key.ts'

/** What a reconciler reports about one call of its decide function. */
export interface Decided {
  /** Everything that the decide function takes besides the time, settings included, as JSON. */
  readonly input: unknown
  readonly decision: unknown
  /** The time argument of the decide function. */
  readonly at: number
  /** Masks secrets. Absent: input and decision hold none. */
  readonly hide?: Hide
}

/** Returns a copy without secrets. Called only when a record is read: most never are. */
export type Hide = (value: unknown) => Hidden

export interface Hidden {
  readonly value: unknown
  /** Paths of the texts whose mask may change the answer of the decide function, such as `seen.pods[0].message`. */
  readonly masked: readonly string[]
}

export type RunOutcome = KernelEvents['reconcile:end']['outcome']

/** How the run ended in which a decision was made. */
export interface RunEnd {
  readonly outcome: RunOutcome
  readonly because?: string
  readonly failure?: Failure
  readonly ms: number
  readonly attempt: number
}

/** One call of a decide function and how its run ended: enough to explain it, and to run it again. */
export interface DecisionRecord {
  readonly controller: string
  readonly key: Key
  readonly at: number
  readonly fence?: number
  /** On whose behalf; only the tenant and admins may read the record. */
  readonly tenant?: string
  readonly input: unknown
  readonly decision: unknown
  /** `Hidden.masked` of input and decision, as `input.…` and `decision.…`. */
  readonly masked: readonly string[]
  readonly run: RunEnd
}

/** The decisions of a run as records, once it has ended. Secrets are masked when a record is read. */
export function recordsOf(
  decided: readonly Decided[],
  claim: Pick<DecisionRecord, 'controller' | 'key' | 'fence' | 'tenant'>,
  run: RunEnd,
): DecisionRecord[] {
  return decided.map(({ input, decision, at, hide }) => {
    if (hide === undefined) return { ...claim, at, input, decision, masked: [], run }
    let parts: Pick<DecisionRecord, 'input' | 'decision' | 'masked' | 'run'> | undefined
    const read = () => (parts ??= hiddenParts({ input, decision, run }, hide))
    return {
      ...claim,
      at,
      get input() {
        return read().input
      },
      get decision() {
        return read().decision
      },
      get masked() {
        return read().masked
      },
      get run() {
        return read().run
      },
    }
  })
}

function hiddenParts(
  { input, decision, run }: Pick<DecisionRecord, 'input' | 'decision' | 'run'>,
  hide: Hide,
): Pick<DecisionRecord, 'input' | 'decision' | 'masked' | 'run'> {
  const [seen, made] = [hide(input), hide(decision)]
  const masked = [...seen.masked.map((path) => `input.${path}`), ...made.masked.map((path) => `decision.${path}`)]
  return { input: seen.value, decision: made.value, masked, run: hide(run).value as RunEnd }
}

/** Receives every record: a table, a log. */
export type DecisionSink = (record: DecisionRecord) => void

export interface DecisionLog {
  add(record: DecisionRecord): void
  onAdd(listener: DecisionSink): () => void
}

/**
 * Passes the decisions of this process to its listeners. What one of them throws goes to `onError`: a reconcile must not
 * fail because its record could not be kept.
 */
export function decisionLog(onError: (error: unknown) => void = () => {}): DecisionLog {
  const added = createEmitter<{ added: DecisionRecord }>(onError)
  return { add: (record) => added.emit('added', record), onAdd: (listener) => added.on('added', listener) }
}

/** Runs the decide function that a controller has for objects of this kind again with a recorded input. */
export type ReplayDecision = (input: unknown, at: number, kind: string) => unknown

/** By the name of the controller. */
export type Replays = Readonly<Record<string, ReplayDecision>>

export type Replay =
  | { readonly is: 'same' }
  /** The decide function has changed since. */
  | { readonly is: 'different'; readonly now: unknown }
  | { readonly is: 'notReplayable'; readonly because: string }

export interface ReplayableRecord extends Pick<DecisionRecord, 'controller' | 'key' | 'at' | 'input' | 'decision'> {
  /** `null`: recorded by a version that did not keep complete inputs. */
  readonly masked: readonly string[] | null
}

/** Decides again from a recorded input. A difference that a masked field may have caused is never reported as one. */
export function replay({ controller, key, at, input, decision, masked }: ReplayableRecord, replays: Replays): Replay {
  const decide = Object.hasOwn(replays, controller) ? replays[controller] : undefined
  if (masked === null) return notReplayable('it was recorded by a version that did not keep the complete input')
  if (decide === undefined) return notReplayable(`this server has no decide function for controller ${controller}`)
  let now: unknown
  try {
    now = asJson(decide(asJson(input), at, key.kind))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return notReplayable(`the decide function does not accept the recorded input: ${why}`)
  }
  if (sameValue(decision, now)) return { is: 'same' }
  return masked.length === 0 ? { is: 'different', now } : notReplayable(`masked fields: ${listOf(masked)}`)
}

const notReplayable = (because: string): Replay => ({ is: 'notReplayable', because })

/** A copy, so that a decide function that changes its input cannot change the record. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

const MOST_NAMED = 5

const listOf = (paths: readonly string[]): string =>
  paths.slice(0, MOST_NAMED).join(', ') + (paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '')

/**
 * Whether two JSON values are equal. Key order does not matter; a field that is `undefined` equals one that is absent,
 * because JSON has no `undefined`.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]))
  }
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  for (const name of Object.keys(left)) if (!sameValue(left[name], right[name])) return false
  for (const name of Object.keys(right)) if (right[name] !== undefined && !Object.hasOwn(left, name)) return false
  return true
}
