import { unmetFields, type Fields, type FieldChange, type KubeObject } from '../../../kube/index.ts'
import type { ObservedChild, RenderedChild } from '../types.ts'

/** The rendered fields that a live object does not have. Its identity and fields that are not rendered do not count. */
export function differs(wanted: RenderedChild['object'], live: Pick<KubeObject, 'metadata'>): FieldChange[] {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = wanted as RenderedChild['object'] & Fields
  const { name: _name, namespace: _namespace, ...ours } = metadata
  return unmetFields({ metadata: ours, ...rest }, live)
}

/** Names one state of a live child, as `Observed.mutated` has it. */
export const stateName = ({ kind, name, uid, object }: ObservedChild): string =>
  [kind, name, uid, object.metadata.generation ?? 0].join('/')
