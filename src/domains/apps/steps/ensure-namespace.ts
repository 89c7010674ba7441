import { createNamespace } from '../fence.ts'
import { applyNamespacePolicies } from '../namespace/policies.ts'
import { holderOf, type StepHandler } from './step.ts'

/**
 * Creates the namespace, with our label and the fence in it from the first moment, and puts the platform's objects into it.
 *
 * Safe to run twice: one that is there is claimed when it is ours, and refused when it is not.
 */
export const ensureNamespace: StepHandler<'ensureNamespace'> = async (_step, context) => {
  const holder = holderOf(context)
  const { client, settings } = context.parts
  const isNew = context.sighting.seen.namespace.is === 'absent'
  const isCreated = await createNamespace(context.parts, holder, context.signal)
  if (settings.policies !== undefined) {
    await applyNamespacePolicies(client, settings.policies, holder, { isNew, signal: context.signal })
  }
  return isNew
    ? { reason: 'NamespaceCreated', note: `created namespace ${holder.namespace}`, isEmpty: isCreated }
    : { reason: 'PoliciesApplied', note: `applied the policies of the platform to namespace ${holder.namespace}` }
}
