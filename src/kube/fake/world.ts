import type { Clock, Random } from '../../kernel/index.ts'
import type { Json } from './json.ts'
import type { KindInfo, Registry } from './registry.ts'
import type { Storage } from './storage.ts'

/** A write with the complete object, before it is stored. */
export interface ObjectWrite {
  readonly operation: 'create' | 'update' | 'delete'
  readonly kind: KindInfo
  readonly subresource: string
  /** Of a deletion the object that goes. */
  readonly object: Json
  /** Absent for a creation. */
  readonly old: Json | undefined
}

/**
 * Returns the object to store, `write.object` or a changed one, and refuses the write by throwing a `Refusal`. A greater
 * `metadata.generation` is kept. What it returns for a deletion is ignored.
 */
export type AdmissionPlugin = (write: ObjectWrite) => Json

/** What all parts of the server share. */
export interface World {
  readonly storage: Storage
  readonly registry: Registry
  readonly clock: Clock
  readonly random: Random
  readonly plugin: AdmissionPlugin
}

export const timeText = (clock: Clock, afterSeconds = 0): string =>
  `${new Date(clock.now() + afterSeconds * 1000).toISOString().slice(0, 19)}Z`
