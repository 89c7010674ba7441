import type { Replays } from '../../kernel/index.ts'
import { decide } from './decide.ts'
import type { RuntimesSettings } from './settings.ts'
import type { Observed } from './types.ts'

/** The complete input of `decide`, as it is recorded. */
export interface RecordedInput {
  readonly seen: Observed
  readonly settings: RuntimesSettings
}

export const replays: Replays = {
  runtimes: (input, at) => {
    const { seen, settings } = input as RecordedInput
    return decide(seen, settings, at)
  },
}
