import type { Clock } from '../../kernel/index.ts'
import type { ObjectMeta } from '../objects.ts'
import { compareVersions, isNotNewer } from '../watch/version.ts'

/** The state of an object after our own write, until the watch has delivered it. */
export type Pin = NewPin & { readonly until: number }

interface NewPin {
  readonly wrote: 'object' | 'deletion' | 'absence'
  readonly uid: string | undefined
  /** Of the written object, of the last one before its deletion, or of the list that did not name it. */
  readonly version: string | undefined
  /** The object was read from the server after the write. */
  readonly checked: boolean
}

export const pinOf = (wrote: NewPin['wrote'], { uid, resourceVersion }: ObjectMeta, checked = false): NewPin => ({
  wrote,
  uid,
  version: resourceVersion,
  checked,
})

/** How an arriving object relates to the pinned state. */
export type Arrival = 'older' | 'caughtUp'

/**
 * An object with an older version than the pinned one is outdated. Beyond that:
 *
 * - Written objects: where versions cannot be compared, only the written version itself counts as caught up; others wait
 *   for the time limit.
 * - Absences: the object was not in a list at that version; a newer version was created since, also under the same uid.
 * - Deletions: the same uid is outdated, unless it has a deletionTimestamp and waits for finalizers; another uid is a
 *   successor.
 */
export function judge(pin: Pin, { uid, resourceVersion, deletionTimestamp }: Partial<ObjectMeta>): Arrival {
  const order = compareVersions(resourceVersion, pin.version)
  if (pin.wrote === 'absence') return order === undefined || order <= 0 ? 'older' : 'caughtUp'
  if (pin.wrote === 'object') return order === undefined || order < 0 ? 'older' : 'caughtUp'
  const isBefore = order !== undefined && order < 0
  return isBefore || (uid === pin.uid && deletionTimestamp === undefined) ? 'older' : 'caughtUp'
}

/** Whether a list at `version` that does not name the object proves its absence: it must not be older than the pin. */
export const isAbsenceCertain = (pin: Pin, version: string): boolean => isNotNewer(pin.version, version)

/** The pins of a cache. `onOverdue` is called for a pin that the watch has not reached within `limitMs`. */
export class Pins {
  readonly #pins = new Map<string, Pin>()
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #onOverdue: (key: string, pin: Pin) => void
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock, limitMs: number, onOverdue: (key: string, pin: Pin) => void) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#onOverdue = onOverdue
  }

  get(key: string): Pin | undefined {
    return this.#pins.size === 0 ? undefined : this.#pins.get(key)
  }

  /** Replaces an earlier pin, and restarts its time. */
  set(key: string, pin: NewPin): void {
    this.#pins.delete(key) // to the end: the map stays in the order of the time limits
    this.#pins.set(key, { ...pin, until: this.#clock.elapsed() + this.#limitMs })
    this.#cancelTimer ??= this.#clock.after(this.#limitMs, () => this.#look())
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
    const now = this.#clock.elapsed()
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
