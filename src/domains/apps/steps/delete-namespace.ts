import { deleteHeldNamespace } from '../fence.ts'
import { removeRights } from '../grants/rights.ts'
import { holderOf, type StepHandler } from './step.ts'

/**
 * Deletes what the release has left outside of its namespace, and begins the deletion of the namespace and of everything in
 * it. Whether it goes is for the next looks to see.
 */
export const deleteNamespace: StepHandler<'deleteNamespace'> = async (_step, context) => {
  const holder = holderOf(context)
  await removeRights(context.parts, holder, context.signal)
  await deleteHeldNamespace(context.parts, holder, context.signal)
  return { reason: 'NamespaceDeleted', note: `began to delete namespace ${holder.namespace}` }
}
