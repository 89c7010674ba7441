import type { Replays } from '../../kernel/index.ts'
import { decide, type DecideInput } from './decide.ts'
import { decideOrphans, type OrphansInput } from './orphans.ts'
import { ORPHANS } from './queue.ts'

export const replays: Replays = {
  clusters: (input, at, kind) =>
    kind === ORPHANS ? decideOrphans(input as OrphansInput, at) : decide(input as DecideInput, at),
}
