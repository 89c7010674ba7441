import { isNotFound, PersistentVolumeClaim } from '../../../kube/index.ts'
import { autoscalersIn } from '../drift/autoscalers.ts'
import { objectName } from '../drift/diff-objects.ts'
import { fenced } from '../fence.ts'
import type { Rollout } from '../helm/port.ts'
import type { HandedOver } from '../observed.ts'
import { asJson } from '../drift/release-objects.ts'
import { settleAhead } from '../drift/restore.ts'
import { rolloutOf, withDiagnostics } from './rollout.ts'
import { targetOf, type StepContext, type StepHandler } from './step.ts'

/**
 * Upgrades a release, and waits until it is healthy or its time is up.
 *
 * Before Helm runs, claims that the new manifest drops are marked to be kept, and fields that others hold are settled:
 * taken back, or left out when they are meant to be another's. Helm would fail on the first of them, and forcing it
 * would undo an autoscaler.
 */
export const upgrade: StepHandler<'upgrade'> = async ({ timeoutMs, policy, handOver }, context) => {
  const { helm } = context.parts
  const target = targetOf(context)
  await keepClaims(context, policy.keepClaims)
  const rollout = await rolloutOf(context, timeoutMs, policy.onFailure, handOver)
  const settled = await settleNew(context, rollout)
  const { revision } = await withDiagnostics(context, () =>
    helm.upgrade(target, { ...rollout, handOver: [...handOver, ...settled] }, context.signal),
  )
  return { reason: 'Upgraded', note: `upgraded ${target.release} to revision ${revision}` }
}

async function keepClaims(
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

/** Fields of the new manifest that others hold: a dry run names them, also where they do not differ yet. */
async function settleNew(context: StepContext, rollout: Rollout): Promise<readonly HandedOver[]> {
  const { parts, loaded, sighting, fence, signal } = context
  const present = new Set(sighting.look.objects.flatMap(({ name, live }) => (live === undefined ? [] : [name])))
  const door = { client: parts.client.as(fenced(loaded.deployment.id, fence)), discovery: parts.discovery }
  const objects = await sighting.rendered(signal)
  const facts = async () => ({
    ...sighting.look.facts,
    autoscalers: await autoscalersIn(parts.client, parts.discovery, loaded.deployment.namespaceName, signal),
  })
  const handedOver: HandedOver[] = []
  for (const desired of objects) {
    if (!present.has(objectName(asJson(desired)))) continue
    const input = { desired, handOver: rollout.handOver, facts, signal }
    handedOver.push(...(await settleAhead(door, input)))
  }
  return handedOver
}
