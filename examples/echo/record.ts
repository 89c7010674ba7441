import { type Outcome, settled } from '../../src/kernel/index.ts'
import { at, type StatusWriter } from '../../src/kube/index.ts'
import type { Decision } from './decide.ts'
import { Echo } from './echo.ts'
import type { Caches, Observed } from './observe.ts'

/**
 * Writes the status, about exactly the Echo that was looked at: the version makes the server refuse it when that one
 * has changed or been replaced by a namesake since.
 */
export async function record(
  client: StatusWriter,
  { echoes }: Caches,
  { echo }: Observed,
  { status }: Decision,
  signal: AbortSignal,
): Promise<Outcome> {
  if (echo !== undefined && status !== undefined) {
    const { resourceVersion } = echo.metadata
    echoes.wrote(
      await client.patchStatus(Echo, at(echo), { merge: { metadata: { resourceVersion }, status } }, { signal }),
    )
  }
  return settled()
}
