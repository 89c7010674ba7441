import { keyText, mergeWakes, type Key, type Wake } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'

export interface WakeCall {
  readonly key: Key
  readonly wake: Wake
}

/** The function is also for triggers; its rules are in the migration that defines it. */
const WAKE = 'select caelus.wake_all($1, $2, $3, $4, $5, $6, $7)'

/** `hint`: notify the workers when the statement commits. */
export async function wakeKeys(on: Runner, queue: string, calls: readonly WakeCall[], hint: boolean): Promise<void> {
  const merged = mergeCalls(calls)
  await on.query(WAKE, [
    queue,
    merged.map(({ key }) => key.kind),
    merged.map(({ key }) => key.id),
    merged.map(({ wake }) => wake.tenant ?? ''),
    merged.map(({ wake }) => wake.reason),
    merged.map(({ wake }) => wake.afterMs ?? 0),
    hint,
  ])
}

/** A statement may write a row only once, so wakes of one key are merged first. */
export function mergeCalls(calls: readonly WakeCall[]): WakeCall[] {
  const merged = new Map<string, WakeCall>()
  for (const call of calls) {
    const text = keyText(call.key)
    const known = merged.get(text)
    merged.set(text, known === undefined ? call : { key: call.key, wake: mergeWakes(known.wake, call.wake) })
  }
  return [...merged.values()]
}
