import { createNamespace } from '../fence.ts'
import { holderOf, type StepHandler } from './step.ts'

/**
 * Creates the namespace, with our label and the fence in it from the first moment.
 *
 * Safe to run twice: one that is there is claimed when it is ours, and refused when it is not.
 */
export const ensureNamespace: StepHandler<'ensureNamespace'> = async (_step, context) => {
  const holder = holderOf(context)
  await createNamespace(context.parts, holder, context.signal)
  return { reason: 'NamespaceCreated', note: `created namespace ${holder.namespace}` }
}
