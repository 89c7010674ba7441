import type { OwnerReference } from '../../../kube/index.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { functionLabel, ownerLabel } from '../names.ts'
import { COMPONENT_LABEL, FUNCTION_LABEL, MANAGER, OWNER_LABEL, type Component } from '../types.ts'

type Labels = Readonly<Record<string, string>>

/** What children and pods are found by. A Deployment can never change its selector, so these never change either. */
export const selectorOf = (runtime: ClassRuntime, component: Component, functionKey?: string): Labels => ({
  [OWNER_LABEL]: ownerLabel(runtime.metadata.name),
  [COMPONENT_LABEL]: component,
  ...(functionKey !== undefined && { [FUNCTION_LABEL]: functionLabel(functionKey) }),
})

/** On everything that is rendered, and on the pods of every workload. */
export const labelsOf = (runtime: ClassRuntime, component: Component, functionKey?: string): Labels => ({
  'app.kubernetes.io/managed-by': MANAGER,
  ...selectorOf(runtime, component, functionKey),
})

export function metadataOf(
  runtime: ClassRuntime,
  { name, component, functionKey }: { name: string; component: Component; functionKey?: string | undefined },
  more: { readonly labels?: Labels; readonly annotations?: Labels } = {},
) {
  const { namespace = '' } = runtime.metadata
  return {
    name,
    namespace,
    labels: { ...labelsOf(runtime, component, functionKey), ...more.labels },
    ...(more.annotations && Object.keys(more.annotations).length > 0 && { annotations: more.annotations }),
    ownerReferences: [ownerOf(runtime)],
  }
}

const ownerOf = ({ apiVersion, kind, metadata: { name, uid = '' } }: ClassRuntime): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
})
