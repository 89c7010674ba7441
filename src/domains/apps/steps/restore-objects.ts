import { fenced } from '../fence.ts'
import { inBatches, type ReleaseObject } from '../drift/release-objects.ts'
import { restore } from '../drift/restore.ts'
import type { StepContext, StepHandler } from './step.ts'

/**
 * Applies the named objects of the stored manifest. Those that are there have nothing to do with each other; those that
 * are missing come in the order of the manifest, because one may need another.
 */
async function restoreObjects(
  names: readonly string[],
  { parts, loaded, sighting, fence, signal }: StepContext,
): Promise<void> {
  const client = parts.client.as(fenced(loaded.deployment.id, fence))
  const { look, seen } = sighting
  const facts = async () => look.facts
  const again = ({ desired }: ReleaseObject): Promise<unknown> =>
    restore({ client, discovery: parts.discovery }, { desired, handOver: seen.drift.handedOver, facts, signal })
  const named = look.objects.filter(({ name }) => names.includes(name))
  await inBatches(
    named.filter(({ live }) => live !== undefined),
    again,
  )
  for (const missing of named.filter(({ live }) => live === undefined)) await again(missing)
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
