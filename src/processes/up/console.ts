import type { StatusBoard } from '../../api/index.ts'
import { messageOf } from '../../kernel/index.ts'
import type { ProgressLine } from '../shared/terminal.ts'
import { VERSION } from '../../version.ts'

/** Builds the console if its sources changed. */
export async function buildConsole(board: StatusBoard, progress: ProgressLine, signal: AbortSignal): Promise<void> {
  const { buildConsole: build } = await import('../../../tools/index.ts')
  const report = (health: 'ok' | 'preparing' | 'down', message: string): void =>
    board.component('console', { health, message, version: VERSION })
  report('preparing', 'being built')
  try {
    const built = await build(signal)
    report('ok', 'built')
    if (built) progress.say('  The console is built')
  } catch (error) {
    report('down', messageOf(error))
    if (!signal.aborted) progress.say(`  ${messageOf(error)}`)
  }
}
