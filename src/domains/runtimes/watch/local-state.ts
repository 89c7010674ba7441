import type { Cache, KubeObject } from '../../../kube/index.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import type { NfrSettings } from '../settings.ts'
import type { ManagedKind, Observed } from '../types.ts'

const MINUTE_MS = 60_000

/**
 * What a controller knows besides its caches. All of it may be lost with the process: at worst a call is made that turns
 * out to be needless.
 */
export class LocalState {
  readonly #window: number
  /** By the runtime's uid, for one of its generations. */
  readonly #mutated = new Map<
    string,
    { readonly generation: number | undefined; readonly marks: Map<string, string> }
  >()
  #orphans: number[] = []
  /** When each runtime was enforced upon, as its status has it; so it outlives us. */
  readonly #enforcements = new Map<string, readonly number[]>()

  constructor({ budget }: Pick<NfrSettings, 'budget'>) {
    this.#window = budget.windowMs
  }

  /** Call it before the cache starts. */
  follow(runtimes: Pick<Cache<ClassRuntime>, 'onChange'>): void {
    runtimes.onChange((change) => {
      if (change.type === 'deleted') this.#mutated.delete(change.old.metadata.uid ?? '')
      const status = change.type === 'deleted' ? {} : change.new.status
      const times = (status?.last_applied_recommendations ?? []).flatMap(({ at }) =>
        at === undefined ? [] : [Date.parse(at)],
      )
      if (times.length > 0) this.#enforcements.set(change.key, times)
      else this.#enforcements.delete(change.key)
    })
  }

  recent(now: number): Observed['recent'] {
    let enforcements = 0
    for (const [key, times] of this.#enforcements) {
      const recent = times.filter((at) => now - at < this.#window)
      if (recent.length === 0) this.#enforcements.delete(key)
      enforcements += recent.length
    }
    this.#orphans = this.#orphans.filter((at) => now - at < MINUTE_MS)
    return { enforcements, orphans: this.#orphans.length }
  }

  deletedOrphan(now: number): void {
    this.#orphans.push(now)
  }

  /** What came back from an apply, and whether it still differs from what was applied. */
  applied(runtime: ClassRuntime, kind: ManagedKind, object: KubeObject, isMutated: boolean): void {
    const { uid = '', generation } = runtime.metadata
    const known = this.#mutated.get(uid)
    const marks = known !== undefined && known.generation === generation ? known.marks : new Map<string, string>()
    const child = `${kind}/${object.metadata.name}`
    if (isMutated) marks.set(child, markOf(kind, object))
    else marks.delete(child)
    if (marks.size === 0) this.#mutated.delete(uid)
    else this.#mutated.set(uid, { generation, marks })
  }

  mutatedOf({ metadata: { uid = '', generation } }: ClassRuntime): readonly string[] {
    const known = this.#mutated.get(uid)
    return known === undefined || known.generation !== generation ? [] : [...known.marks.values()]
  }
}

const markOf = (kind: ManagedKind, { metadata: { name, uid = '', generation = 0 } }: KubeObject): string =>
  `${kind}/${name}/${uid}/${generation}`
