import { fenced } from '../fence.ts'
import { inBatches, ours, type ReleaseObject } from '../drift/release-objects.ts'
import { restore } from '../drift/restore.ts'
import type { StepHandler } from './step.ts'

/**
 * Restores what was changed or deleted by hand: no Helm run, no new revision. Objects that are there have nothing to do
 * with each other; those that are missing come in the order of the manifest, because one may need another.
 *
 * Safe to run twice: applying what is there already changes nothing.
 */
export const repairObjects: StepHandler<'repairObjects'> = async ({ objects }, context) => {
  const { parts, loaded, sighting, fence, signal } = context
  const client = parts.client.as(fenced(loaded.deployment.id, fence))
  const { look } = sighting
  const facts = async () => look.facts
  const again = (one: ReleaseObject): Promise<unknown> =>
    restore({ client, discovery: parts.discovery }, { desired: ours(one), handOver: [], facts, signal })
  const named = look.objects.filter(({ name }) => objects.includes(name))
  await inBatches(
    named.filter(({ live }) => live !== undefined),
    again,
  )
  for (const missing of named.filter(({ live }) => live === undefined)) await again(missing)
  return { reason: 'DriftRepaired', note: `restored ${objects.join(', ')}` }
}
