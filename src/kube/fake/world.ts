import type { Clock, Random } from '../../kernel/index.ts'
import type { Registry } from './registry.ts'
import type { Storage } from './storage.ts'

/** What all parts of the server share. */
export interface World {
  readonly storage: Storage
  readonly registry: Registry
  readonly clock: Clock
  readonly random: Random
}

export const timeText = (clock: Clock, afterSeconds = 0): string =>
  `${new Date(clock.now() + afterSeconds * 1000).toISOString().slice(0, 19)}Z`
