import { isNotFound, PersistentVolumeClaim } from '../../../kube/index.ts'
import { autoscalersIn } from '../drift/autoscalers.ts'
import { conflictsAhead } from '../drift/restore.ts'
import { allowancesOf, inBatches, keptBy } from '../drift/release-objects.ts'
import { fenced, viewing } from '../fence.ts'
import type { HandedOver } from '../observed.ts'
import { rolloutOf, withDiagnostics } from './rollout.ts'
import { targetOf, type StepContext, type StepHandler } from './step.ts'
import { removeStrays } from './strays.ts'

/**
 * Upgrades a release. Returns once Helm has applied everything and its hooks are done.
 *
 * Before Helm runs, claims that the new manifest drops are marked to be kept, and the API server is asked which fields others
 * hold: those that are meant to be another's are left out, and the rest is taken over by Helm itself, after its hooks.
 */
export const upgrade: StepHandler<'upgrade'> = async ({ timeoutMs, keepClaims, handOver, remove }, context) => {
  const { helm } = context.parts
  const target = targetOf(context)
  await annotateClaims(context, keepClaims)
  await removeStrays(context, remove)
  const leftOut = [...handOver, ...(await unchangeable(context))]
  const rollout = await rolloutOf(context, timeoutMs, leftOut)
  const ahead = await settle(context, leftOut)
  const settled = { ...rollout, handOver: [...leftOut, ...ahead.handOver], force: ahead.force }
  const { revision, objects } = await withDiagnostics(context, () => helm.upgrade(target, settled, context.signal))
  return { reason: 'Upgraded', note: `upgraded ${target.release} to revision ${revision}`, applied: objects }
}

async function annotateClaims(
  { parts, loaded: { deployment }, fence, signal }: StepContext,
  names: readonly string[],
): Promise<void> {
  const client = parts.client.as(fenced(deployment.id, fence))
  for (const name of names) {
    const metadata = { annotations: { 'helm.sh/resource-policy': 'keep' } }
    await client
      .patch(PersistentVolumeClaim, { namespace: deployment.namespaceName, name }, { merge: { metadata } }, { signal })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
  }
}

async function unchangeable({
  parts,
  sighting: { seen, rendered },
  signal,
}: StepContext): Promise<readonly HandedOver[]> {
  const { unrepairable } = seen.drift
  return unrepairable.length === 0 ? [] : keptBy(await rendered(signal), unrepairable, parts.settings.digestSalt)
}

/** Fields of the new manifest that others hold: a dry run names them, also where they do not differ yet. */
async function settle(
  { parts, loaded, sighting, fence, signal }: StepContext,
  handOver: readonly HandedOver[],
): Promise<{ readonly handOver: readonly HandedOver[]; readonly force: boolean }> {
  const door = { client: parts.client.as(fenced(loaded.deployment.id, fence)), discovery: parts.discovery }
  const facts = async () => ({
    ...allowancesOf(parts.settings, loaded.template),
    autoscalers: await autoscalersIn(
      parts.client.as(viewing),
      parts.discovery,
      loaded.deployment.namespaceName,
      signal,
    ),
  })
  const objects = await sighting.rendered(signal)
  const found = await inBatches(objects, (desired) => conflictsAhead(door, { desired, handOver, facts, signal }))
  return {
    handOver: found.flatMap((one) => one.handOver),
    force: found.some(({ repair }) => repair.length > 0),
  }
}
