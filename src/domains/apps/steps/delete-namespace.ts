import { deleteHeldNamespace } from '../fence.ts'
import { holderOf, type StepHandler } from './step.ts'

/** Begins the deletion of the namespace and of everything in it. Whether it goes is for the next looks to see. */
export const deleteNamespace: StepHandler<'deleteNamespace'> = async (_step, context) => {
  const holder = holderOf(context)
  await deleteHeldNamespace(context.parts, holder, context.signal)
  return { reason: 'NamespaceDeleted', note: `began to delete namespace ${holder.namespace}` }
}
