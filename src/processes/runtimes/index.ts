import { runtimesCommands } from '../../cli/commands/runtimes/index.ts'
import { RUNTIMES } from '../../config/runtimes.ts'
import type { Domain } from '../domain.ts'

export const runtimes: Domain = {
  name: 'runtimes',
  section: RUNTIMES,
  commands: runtimesCommands,
  open: async () => (await import('./process.ts')).runtimesProcess(),
}
