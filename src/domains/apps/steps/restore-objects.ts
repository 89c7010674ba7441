import { fenced } from '../fence.ts'
import { restore } from '../restore.ts'
import type { StepContext, StepHandler } from './step.ts'

/** Applies each of the named objects of the stored manifest, one by one. */
async function restoreObjects(
  names: readonly string[],
  { parts, loaded, sighting, fence, signal }: StepContext,
): Promise<void> {
  const client = parts.client.as(fenced(loaded.deployment.id, fence))
  const { look, seen } = sighting
  const facts = async () => look.facts
  for (const { name, desired } of look.objects) {
    if (!names.includes(name)) continue
    const wish = { desired, handOver: seen.drift.handedOver, facts, signal }
    await restore({ client, discovery: parts.discovery }, wish)
  }
}

/**
 * Puts back what somebody changed or deleted by hand: no Helm run, no new revision.
 *
 * Safe to run twice: applying what is there already changes nothing.
 */
export const repairObjects: StepHandler<'repairObjects'> = async ({ objects }, context) => {
  await restoreObjects(objects, context)
  return { reason: 'DriftRepaired', note: `restored ${objects.join(', ')}` }
}

/** Takes back the fields that others hold without being meant to, so that the upgrade that follows meets no conflict. */
export const settleOwnership: StepHandler<'settleOwnership'> = async ({ objects }, context) => {
  await restoreObjects(objects, context)
  return { reason: 'OwnershipSettled', note: `took back fields of ${objects.join(', ')}` }
}
