import type { At, Draft, KubeObject, Resource } from '../../objects.ts'
import { deleteObject } from '../deletes.ts'
import { Refusal } from '../failure.ts'
import type { Json } from '../json.ts'
import { type KindInfo, typeKey } from '../registry.ts'
import { timeText, type World } from '../world.ts'
import type { Writes } from '../writes.ts'

/**
 * How a fake controller reads and writes: at once and without authorization, so that no other writer comes between.
 * A write that the server refuses, such as a creation in a terminating namespace, is dropped: the next turn repeats it.
 */
export class Access {
  readonly #world: World
  readonly #writes: Writes
  readonly #options: { readonly fieldManager: string; readonly dryRun: false; readonly force: false }

  constructor(world: World, writes: Writes, fieldManager: string) {
    this.#world = world
    this.#writes = writes
    this.#options = { fieldManager, dryRun: false, force: false }
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.#world.clock.now()
  }

  /** The present time as the server writes it. */
  get timestamp(): string {
    return timeText(this.#world.clock)
  }

  /** In the order of namespace and name. Read-only: they are not copies. */
  list<T extends KubeObject>(resource: Resource<T>): readonly T[] {
    return this.#world.storage.list(this.#kind(resource)) as unknown as readonly T[]
  }

  /** `generateName` in its metadata gets a name. */
  create<T extends KubeObject>(resource: Resource<T>, object: Omit<Draft<T>, 'metadata'> & { metadata: object }): void {
    const { namespace = '' } = object.metadata as Partial<At>
    this.#try(() => this.#writes.create(this.#kind(resource), namespace, object, this.#options))
  }

  patch<T extends KubeObject>(resource: Resource<T>, { metadata }: T, change: (present: T) => T): void {
    const place = placeOf(metadata)
    const changed = (old: Json): Json => change(old as unknown as T) as unknown as Json
    this.#try(() => this.#writes.update(this.#kind(resource), place, '', this.#options, changed))
  }

  setStatus<T extends KubeObject>(resource: Resource<T>, { metadata }: T, status: object): void {
    const changed = (old: Json): Json => ({ ...old, status })
    this.#try(() => this.#writes.update(this.#kind(resource), placeOf(metadata), 'status', this.#options, changed))
  }

  delete<T extends KubeObject>(
    resource: Resource<T>,
    { metadata }: T,
    {
      propagation = 'Background',
      graceSeconds,
    }: { readonly propagation?: string; readonly graceSeconds?: number } = {},
  ): void {
    const deletion = { propagation, graceSeconds, uid: metadata.uid ?? '', resourceVersion: '', dryRun: false }
    this.#try(() => deleteObject(this.#world, this.#kind(resource), placeOf(metadata), deletion))
  }

  #kind({ group, version, plural }: Resource): KindInfo {
    const kind = this.#world.registry.find(group, version, plural)
    if (kind === undefined) throw new Error(`the fake API server does not know ${typeKey({ group, plural })}`)
    return kind
  }

  #try(write: () => unknown): void {
    try {
      write()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
}

const placeOf = ({ namespace = '', name }: KubeObject['metadata']) => ({ namespace, name })
