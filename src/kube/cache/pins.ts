import type { Clock } from '../../kernel/index.ts'
import type { ObjectMeta } from '../objects.ts'
import { compareVersions, isNotNewer } from '../watch/version.ts'

/** What we know of an object from our own write, until the watch knows it too. */
export type Pin = NewPin & { readonly until: number }

interface NewPin {
  readonly wrote: 'object' | 'deletion' | 'absence'
  readonly uid: string | undefined
  /** Of the object written, of the last one seen before its deletion, or of the list in which it was not. */
  readonly version: string | undefined
  /** The server was asked, and this is what it said. */
  readonly checked: boolean
}

export const pinOf = (wrote: NewPin['wrote'], { uid, resourceVersion }: ObjectMeta, checked = false): NewPin => ({
  wrote,
  uid,
  version: resourceVersion,
  checked,
})

/** How an object that arrives relates to what we wrote. */
export type Arrival = 'older' | 'caughtUp'

/**
 * What has an older version than the one pinned is from before. Beyond that:
 *
 * - Written objects: where versions cannot be compared, only the very version we wrote counts as caught up; the rest
 *   waits for the time limit.
 * - Absences: it was not in a list at that version; whatever is newer has come back since, be it the same uid.
 * - Deletions: the same uid is from before too, unless it says that it is being deleted, which is our deletion waiting
 *   for finalizers; another uid is a successor.
 */
export function judge(pin: Pin, { uid, resourceVersion, deletionTimestamp }: Partial<ObjectMeta>): Arrival {
  const order = compareVersions(resourceVersion, pin.version)
  if (pin.wrote === 'absence') return order === undefined || order <= 0 ? 'older' : 'caughtUp'
  if (pin.wrote === 'object') return order === undefined || order < 0 ? 'older' : 'caughtUp'
  const isBefore = order !== undefined && order < 0
  return isBefore || (uid === pin.uid && deletionTimestamp === undefined) ? 'older' : 'caughtUp'
}

/** Whether a list that was complete at `version` and does not name the object has the last word about it: one from before we saw it does not. */
export const isAbsenceCertain = (pin: Pin, version: string): boolean => isNotNewer(pin.version, version)

/** The pins of a cache. Each has the same time to be overtaken by the watch; then `onOverdue` is asked what to do about it. */
export class Pins {
  readonly #pins = new Map<string, Pin>()
  readonly #clock: Clock
  readonly #patienceMs: number
  readonly #onOverdue: (key: string, pin: Pin) => void
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock, patienceMs: number, onOverdue: (key: string, pin: Pin) => void) {
    this.#clock = clock
    this.#patienceMs = patienceMs
    this.#onOverdue = onOverdue
  }

  get(key: string): Pin | undefined {
    return this.#pins.size === 0 ? undefined : this.#pins.get(key)
  }

  /** Replaces what was pinned before, and starts its time anew. */
  set(key: string, pin: NewPin): void {
    this.#pins.delete(key) // to the end: the map stays in the order of the time limits
    this.#pins.set(key, { ...pin, until: this.#clock.now() + this.#patienceMs })
    this.#cancelTimer ??= this.#clock.after(this.#patienceMs, () => this.#look())
  }

  delete(key: string): void {
    this.#pins.delete(key)
  }

  entries(): Iterable<[string, Pin]> {
    return this.#pins
  }

  stop(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#pins.clear()
  }

  #look(): void {
    const now = this.#clock.now()
    const overdue: [string, Pin][] = []
    let next: number | undefined
    for (const [key, pin] of this.#pins) {
      if (pin.until > now) {
        next = pin.until
        break
      }
      overdue.push([key, pin])
    }
    this.#cancelTimer = next === undefined ? undefined : this.#clock.after(next - now, () => this.#look())
    for (const [key, pin] of overdue) this.#onOverdue(key, pin)
  }
}
