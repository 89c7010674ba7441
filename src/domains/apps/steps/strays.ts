import { fenced } from '../fence.ts'
import type { Stray } from '../observed.ts'
import type { StepContext } from './step.ts'

/** Deletes what was decided to go, each by its uid. What is gone already is no failure. */
export async function removeStrays(
  { parts, loaded: { deployment }, fence, signal }: StepContext,
  strays: readonly Stray[] = [],
): Promise<void> {
  const client = parts.client.as(fenced(deployment.id, fence))
  for (const { apiVersion, kind, name, uid } of strays) {
    const resource = await parts.discovery.resourceFor(apiVersion, kind)
    if (resource === undefined) continue
    const place = resource.namespaced ? { namespace: deployment.namespaceName, name } : { name }
    await client.delete(resource, place, { uid, signal })
  }
}
