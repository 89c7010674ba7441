import { join } from 'node:path'
import { defineFailures } from '../../kernel/index.ts'

const raise = defineFailures({
  DataDirInUse: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Stop that process, or set CAELUS_DATA_DIR to another directory.',
  },
})

/** Locks the data directory for this process. Returns the way to unlock it. */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const { lock, LockHeld } = await import('../../../tools/index.ts')
  return await lock(join(dataDir, 'up.lock')).catch((cause: unknown) => {
    if (cause instanceof LockHeld) throw raise.DataDirInUse(`${dataDir} is in use by process ${cause.holder.pid}`)
    throw cause
  })
}
