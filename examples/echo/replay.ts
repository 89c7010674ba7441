import type { Replays } from '../../src/kernel/index.ts'
import { decide } from './decide.ts'
import type { Observed } from './observe.ts'

export const replays: Replays = { echo: (input, at) => decide(input as Observed, at) }
