import type { Replays } from '../../kernel/index.ts'
import { decide, type DecideInput } from './decide.ts'

export const replays: Replays = { apps: (input, at) => decide(input as DecideInput, at) }
