import { at, type KubeObject } from '../../../kube/index.ts'
import { objectName } from '../drift/diff-objects.ts'
import { asJson } from '../drift/release-objects.ts'
import { fenced } from '../fence.ts'
import { claimsAmong } from '../observe.ts'
import { releaseOf } from '../parts.ts'
import type { StepContext } from './step.ts'

/**
 * Deletes what the newest revision has brought and nothing of `kept` has. Helm compares with one revision alone: once
 * another one has begun, it would not remember them. Claims, and what takes claims with it, stay.
 */
export async function removeStrays(
  { parts, loaded: { deployment }, sighting, fence, signal }: StepContext,
  kept: readonly (readonly KubeObject[])[],
): Promise<void> {
  const names = new Set(kept.flat().map(nameOf))
  const strays = (sighting.record?.objects ?? []).filter((object) => !names.has(nameOf(object)))
  const client = parts.client.as(fenced(deployment.id, fence))
  for (const stray of strays.filter((object) => claimsAmong([object]).length === 0)) {
    const resource = await parts.discovery.resourceFor(stray.apiVersion, stray.kind)
    const live = resource && (await client.get(resource, at(stray), signal))
    if (resource === undefined || live === undefined) continue
    const { uid, annotations = {} } = live.metadata
    const isOfRelease = annotations['meta.helm.sh/release-name'] === releaseOf(deployment).release
    if (!isOfRelease || annotations['helm.sh/resource-policy'] === 'keep') continue
    await client.delete(resource, at(stray), { ...(uid !== undefined && { uid }), signal })
  }
}

const nameOf = (object: KubeObject): string => objectName(asJson(object))
