import { createHash } from 'node:crypto'
import {
  LimitRange,
  Namespace,
  NetworkPolicy,
  ResourceQuota,
  unmetFields,
  type Client,
  type CoreV1,
  type Fields,
  type KubeObject,
  type Resource,
} from '../../../kube/index.ts'
import { DEPLOYMENT_LABEL } from '../fence-policy.ts'

/*
 * What the platform puts into the namespace of every deployment, beside the release: labels of Pod Security, a
 * ResourceQuota, a LimitRange and a NetworkPolicy. Written with the worker's own rights; `protection.ts` keeps releases
 * from changing them.
 */

export const POD_SECURITY_LEVELS = ['privileged', 'baseline', 'restricted'] as const
export type PodSecurityLevel = (typeof POD_SECURITY_LEVELS)[number]

/** Quantities by the name of a resource, as a ResourceQuota has them: `requests.memory` is `16Gi`. */
export type Quantities = Readonly<Record<string, string>>

export interface NetworkRules {
  /** Namespaces that may connect to an app. Empty: all that hold no app. */
  readonly ingressNamespaces: readonly string[]
  /** Addresses that may connect to an app, such as those of nodes with an ingress controller in the host network. */
  readonly ingressCidrs: readonly string[]
  /** Addresses that apps may not connect to. */
  readonly egressExcept: readonly string[]
}

export interface NamespacePolicies {
  /** The Pod Security Standard that pods must meet. */
  readonly podSecurity: PodSecurityLevel
  /** Of one deployment. Empty: no quota. */
  readonly quota: Quantities
  /** Requests of containers that name none. A quota of requests refuses pods without them. Empty: no defaults. */
  readonly defaultRequests: Quantities
  /** Undefined: no NetworkPolicy. */
  readonly network: NetworkRules | undefined
}

/** The name of every object, and the field manager that applies it. */
export const PLATFORM_NAME = 'caelus-platform'

/** Names the policies that were applied last. */
export const POLICIES_ANNOTATION = 'caelus.io/policies'

/** The namespace of a deployment. */
export interface Place {
  readonly namespace: string
  readonly deploymentId: string
}

/** An object of the platform in a namespace. `desired` is undefined if the policies want none. */
export interface PlatformObject {
  readonly resource: Resource
  readonly desired: KubeObject | undefined
}

/** The kinds of the objects, in the order of `namespaceObjects`. */
export const PLATFORM_KINDS: readonly Resource[] = [ResourceQuota, LimitRange, NetworkPolicy]

export function namespaceObjects(policies: NamespacePolicies, place: Place): readonly PlatformObject[] {
  const metadata = {
    name: PLATFORM_NAME,
    namespace: place.namespace,
    labels: { [DEPLOYMENT_LABEL]: place.deploymentId, 'app.kubernetes.io/managed-by': 'caelus' },
  }
  const { quota, defaultRequests, network } = policies
  const limitRange: LimitRange = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata,
    spec: { limits: [{ type: 'Container', defaultRequest: defaultRequests }] },
  }
  const resourceQuota: ResourceQuota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata,
    spec: { hard: quota },
  }
  return [
    { resource: ResourceQuota, desired: isEmpty(quota) ? undefined : resourceQuota },
    { resource: LimitRange, desired: isEmpty(defaultRequests) ? undefined : limitRange },
    { resource: NetworkPolicy, desired: network && { ...networkPolicy(network), metadata } },
  ]
}

const isEmpty = (quantities: Quantities): boolean => Object.keys(quantities).length === 0

/** Namespaces that hold no app: those of the platform. */
const NOT_APPS = { matchExpressions: [{ key: DEPLOYMENT_LABEL, operator: 'DoesNotExist' }] }
const SAME_NAMESPACE = { podSelector: {} }

const named = (namespaces: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }],
})

const networkPolicy = (rules: NetworkRules): Omit<NetworkPolicy, 'metadata'> => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  spec: {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      {
        from: [
          SAME_NAMESPACE,
          { namespaceSelector: rules.ingressNamespaces.length === 0 ? NOT_APPS : named(rules.ingressNamespaces) },
          ...rules.ingressCidrs.map((cidr) => ({ ipBlock: { cidr } })),
        ],
      },
    ],
    egress: [
      {
        to: [
          SAME_NAMESPACE,
          { namespaceSelector: NOT_APPS },
          { ipBlock: everywhere('0.0.0.0/0', rules, (cidr) => !cidr.includes(':')) },
          { ipBlock: everywhere('::/0', rules, (cidr) => cidr.includes(':')) },
        ],
      },
    ],
  },
})

function everywhere(
  cidr: string,
  { egressExcept }: NetworkRules,
  isOfFamily: (cidr: string) => boolean,
): { readonly cidr: string; readonly except?: readonly string[] } {
  const except = egressExcept.filter(isOfFamily)
  return except.length === 0 ? { cidr } : { cidr, except }
}

/** Labels of the namespace. `null`: there must be none. */
export const podSecurityLabels = ({ podSecurity }: NamespacePolicies): Readonly<Record<string, string | null>> => {
  const advised = podSecurity === 'privileged' ? null : 'restricted'
  return {
    'pod-security.kubernetes.io/enforce': podSecurity,
    'pod-security.kubernetes.io/warn': advised,
    'pod-security.kubernetes.io/audit': advised,
  }
}

export const hasLabels = (policies: NamespacePolicies, { metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  Object.entries(podSecurityLabels(policies)).every(([name, value]) => (metadata.labels?.[name] ?? null) === value)

/** Changes with everything that `namespaceObjects` makes of the policies. */
export const policiesDigest = (policies: NamespacePolicies): string => {
  const contents = [podSecurityLabels(policies), namespaceObjects(policies, { namespace: '', deploymentId: '' })]
  return createHash('sha256').update(JSON.stringify(contents)).digest('hex').slice(0, 16)
}

/** Whether a live object is as the platform wants it. */
export const isAsDesired = ({ desired }: PlatformObject, live: KubeObject | undefined): boolean =>
  desired === undefined
    ? live === undefined
    : live !== undefined && unmetFields(desired as unknown as Fields, live).length === 0

/** `ResourceQuota/caelus-platform`. */
export const platformName = ({ kind }: Pick<Resource, 'kind'>): string => `${kind}/${PLATFORM_NAME}`

export interface ApplyPoliciesOptions {
  /** Nothing was created in the namespace yet. */
  readonly isNew: boolean
  readonly signal?: AbortSignal
}

/** Idempotent. The annotation is written last: without it the next pass applies everything again. */
export async function applyNamespacePolicies(
  client: Client,
  policies: NamespacePolicies,
  place: Place,
  { isNew, signal }: ApplyPoliciesOptions,
): Promise<void> {
  const options = { fieldManager: PLATFORM_NAME, ...(signal && { signal }) }
  const apply = async ({ resource, desired }: PlatformObject): Promise<void> => {
    if (desired !== undefined) return void (await client.apply(resource, desired, { ...options, force: true }))
    if (!isNew) await client.delete(resource, { namespace: place.namespace, name: PLATFORM_NAME })
  }
  await Promise.all(namespaceObjects(policies, place).map(apply))
  if (isNew && !isEmpty(policies.quota)) await countNothing(client, policies.quota, place, options)
  const metadata = {
    labels: podSecurityLabels(policies),
    annotations: { [POLICIES_ANNOTATION]: policiesDigest(policies) },
  }
  await client.patch(Namespace, { name: place.namespace }, { merge: { metadata } }, options)
}

/**
 * Until the quota controller has counted, the API server refuses everything that the quota counts. In a new namespace the
 * count is known.
 */
async function countNothing(
  client: Client,
  hard: Quantities,
  { namespace }: Place,
  options: { readonly fieldManager: string; readonly signal?: AbortSignal },
): Promise<void> {
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  const at = { namespace, name: PLATFORM_NAME }
  await client.patchStatus(ResourceQuota, at, { merge: { status: { hard, used } } }, options)
}

/**
 * What of the platform's objects differs in a namespace. `suspected`: what watches show to differ. They may lag, so the
 * objects are read before anything is repaired.
 */
export async function policyDrift(
  client: Client,
  policies: NamespacePolicies | undefined,
  found: CoreV1.Namespace,
  suspected: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (policies === undefined) return []
  const { name, labels, annotations } = found.metadata
  const isCurrent = annotations?.[POLICIES_ANNOTATION] === policiesDigest(policies) && hasLabels(policies, found)
  if (!isCurrent) return [`Namespace/${name}`]
  if (suspected.length === 0) return []
  const wanted = namespaceObjects(policies, { namespace: name, deploymentId: labels?.[DEPLOYMENT_LABEL] ?? '' })
  const checked = await Promise.all(
    wanted.map(async (object) => {
      const live = await client.get(object.resource, { namespace: name, name: PLATFORM_NAME }, signal)
      return isAsDesired(object, live) ? [] : [platformName(object.resource)]
    }),
  )
  return checked.flat()
}
