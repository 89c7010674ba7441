import type { KubeObject } from '../../../kube/index.ts'
import type { Kinds } from '../helm/manifest.ts'

/** Kinds of Kubernetes itself that live in no namespace, by group. */
const CLUSTER_KINDS: Readonly<Record<string, readonly string[]>> = {
  '': ['Namespace', 'Node', 'PersistentVolume'],
  'admissionregistration.k8s.io': [
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  'apiextensions.k8s.io': ['CustomResourceDefinition'],
  'apiregistration.k8s.io': ['APIService'],
  'certificates.k8s.io': ['CertificateSigningRequest', 'ClusterTrustBundle'],
  'flowcontrol.apiserver.k8s.io': ['FlowSchema', 'PriorityLevelConfiguration'],
  'networking.k8s.io': ['IngressClass', 'IPAddress', 'ServiceCIDR'],
  'node.k8s.io': ['RuntimeClass'],
  policy: ['PodSecurityPolicy'],
  'rbac.authorization.k8s.io': ['ClusterRole', 'ClusterRoleBinding'],
  'resource.k8s.io': ['DeviceClass', 'ResourceSlice'],
  'scheduling.k8s.io': ['PriorityClass'],
  'storage.k8s.io': ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment', 'VolumeAttributesClass'],
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '')

/** Of Kubernetes itself; groups that end in `.k8s.io` may be others' too, and are then told by the control plane. */
export const isBuiltIn = (apiVersion: string): boolean => {
  const group = groupOf(apiVersion)
  return !group.includes('.') || Object.hasOwn(CLUSTER_KINDS, group) || BUILT_IN.includes(group)
}

const BUILT_IN = [
  'authentication.k8s.io',
  'authorization.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'internal.apiserver.k8s.io',
]

export type Scope = 'namespaced' | 'cluster' | 'unknown'

/** `kinds`: of the control plane, if there is one to ask. */
export async function scopeOf({ apiVersion, kind }: KubeObject, kinds: Kinds | undefined): Promise<Scope> {
  if (CLUSTER_KINDS[groupOf(apiVersion)]?.includes(kind) === true) return 'cluster'
  const resource = await kinds?.resourceFor(apiVersion, kind)
  if (resource !== undefined) return resource.namespaced ? 'namespaced' : 'cluster'
  return kinds === undefined && isBuiltIn(apiVersion) ? 'namespaced' : 'unknown'
}
