import { type Outcome, settled } from '../../src/kernel/index.ts'
import { at, type StatusWriter } from '../../src/kube/index.ts'
import type { Decision } from './decide.ts'
import { Echo } from './echo.ts'
import type { Caches, Observed } from './observe.ts'

/**
 * Writes the status for exactly the observed Echo: with its resourceVersion the server refuses the write if the Echo
 * has changed or was replaced by another of the same name.
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
