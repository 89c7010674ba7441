import { delayFor, sleep, type Backoff, type Clock } from '../../kernel/index.ts'
import {
  apiVersionOf,
  ClusterRole,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  type KubeError,
  Namespace,
  RoleBinding,
  type Client,
  type CoreV1,
  type Identity,
  type Reader,
  type Writer,
} from '../../kube/index.ts'
import { raise } from './failures.ts'
import {
  DEPLOYMENT_LABEL,
  FENCE_ANNOTATION,
  FENCE_EXTRA,
  ROLE,
  STALE_REFUSAL,
  USER_LABEL,
  VIEWER,
  WORKER,
} from './fence-policy.ts'

export { DEPLOYMENT_LABEL, FENCE_ANNOTATION, FENCE_EXTRA, installFence, USER_LABEL } from './fence-policy.ts'

/*
 * How a fence reaches the API server.
 *
 * The holder of a lease writes its fence into the namespace, and from then on acts there as a user whose identity names
 * that fence. A policy of the API server refuses the user when the two differ. So what a worker that lost its lease
 * still sends, its own call or that of a Helm process it started, is refused at the first write.
 *
 * The fence travels as an extra field of the identity, not as a group: the right to impersonate any group includes
 * groups of administrators, while a value of one extra field gives no rights.
 *
 * Several API servers
 *
 * Each API server compares the fence with its own cache of namespaces. `enter` proves that the server behind our
 * connection has seen our fence; another server may accept the previous fence until its cache follows, usually within
 * milliseconds. The proof is not repeated on each address of the EndpointSlice `kubernetes`: outside of the pod
 * network, and with managed control planes, these addresses cannot be reached, and a load balancer may choose others.
 * The second line does not depend on caches:
 *
 * - A step begins with a read of the namespace (`claimNamespace`, `assertFence`), which the server answers from etcd,
 *   and with locks that a smaller claim fence cannot take (`claimFence`). So an old worker begins no step.
 * - Its run is aborted when its lease lapses, and with it Helm. A row is written only under the present fence.
 *
 * What remains: a request of a step that began before the takeover, sent to a lagging server.
 */

/** The identity of a worker that acts for a deployment under a lease. */
export const fenced = (deploymentId: string, fence: number): Identity => ({
  user: WORKER,
  extra: { [FENCE_EXTRA]: [`${deploymentId}:${fence}`] },
})

/** The identity of processes that read a deployment. */
export const viewing: Identity = { user: VIEWER }

/** The API server refused us because another worker holds the deployment. */
export const isStale = (error: unknown): error is KubeError =>
  isForbidden(error) && (error.details.causes ?? []).some(({ message }) => message?.startsWith(STALE_REFUSAL))

const releaseRights = (namespace: string): RoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: ROLE, namespace },
  roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: ROLE },
  subjects: [WORKER, VIEWER].map((name) => ({ apiGroup: ClusterRole.group, kind: 'User', name })),
})

/** The name of the binding with the rights of a release, in its namespace. */
export const RIGHTS_NAME = ROLE

/** Whether a binding grants what a release needs. It may grant more. */
export const grantsRights = ({ roleRef, subjects = [] }: RoleBinding): boolean =>
  roleRef.name === ROLE && [WORKER, VIEWER].every((user) => subjects.some(({ name }) => name === user))

export interface Holder {
  readonly namespace: string
  readonly deploymentId: string
  readonly userId: string
  readonly fence: number
}

/** The control plane, and the clock that times the pauses for its caches. */
export interface Gate {
  readonly client: Client
  readonly clock: Clock
}

/** Conflicts with the namespace's own controllers are few. */
const TRIES = 10

/** Caches of the API server follow within milliseconds as a rule, and within seconds when it is busy. Some 6.5 s in all. */
const PAUSES: Backoff = { baseMs: 20, capMs: 2_000 }

const pause = ({ clock }: Gate, tries: number, signal?: AbortSignal): Promise<void> =>
  sleep(clock, delayFor(tries, PAUSES), signal)

/** Creates the namespace under this fence, or claims it if it exists. Returns whether it was created. */
export async function createNamespace(gate: Gate, holder: Holder, signal?: AbortSignal): Promise<boolean> {
  try {
    await gate.client.create(Namespace, namespaceOf(holder), { ...(signal && { signal }) })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    await claimNamespace(gate, holder, signal)
    return false
  }
  // A new namespace grants no rights yet, so that an attempt to enter would be refused.
  await grantRights(gate, holder, signal)
  await enter(gate, holder, signal)
  return true
}

/**
 * Makes the namespace ours under this fence.
 *
 * A fence only grows: a greater one means that the lease has passed on. A namespace without our label is never taken.
 */
export async function claimNamespace(gate: Gate, holder: Holder, signal?: AbortSignal): Promise<void> {
  const { client } = gate
  for (let tries = 1; ; tries++) {
    const found = await client.get(Namespace, { name: holder.namespace }, signal)
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
      throw raise.NamespaceTerminating(`namespace ${holder.namespace} is going or gone`)
    }
    try {
      await raiseFence(client, found, holder, signal)
      break
    } catch (error) {
      if (!(isConflict(error) || isNotFound(error)) || tries === TRIES) throw error
      await pause(gate, tries, signal)
    }
  }
  await enter(gate, holder, signal)
}

/**
 * Proves that admission and authorization of the API server have seen our fence: both read caches. A server that
 * accepts our fence refuses the previous one.
 *
 * The request applies our own rights as ourselves. It changes nothing if they exist, and adds no object that a policy of
 * the control plane could refuse.
 */
async function enter(gate: Gate, holder: Holder, signal?: AbortSignal): Promise<void> {
  const { namespace, deploymentId, fence } = holder
  const us = { client: gate.client.as(fenced(deploymentId, fence)) }
  for (let tries = 1; ; tries++) {
    try {
      return await grantRights(us, holder, signal)
    } catch (error) {
      if (!isForbidden(error) || tries === TRIES) throw isStale(error) ? staleFence(namespace, 'another', fence) : error
      // Most often the rights are there, and authorization has not seen them yet.
      if (!isStale(error) && tries > 1) await grantRights(gate, holder, signal)
      await pause(gate, tries, signal)
    }
  }
}

export async function grantRights(
  { client }: Pick<Gate, 'client'>,
  { namespace }: Pick<Holder, 'namespace'>,
  signal?: AbortSignal,
): Promise<void> {
  await client.apply(RoleBinding, releaseRights(namespace), { force: true, ...(signal && { signal }) })
}

const namespaceOf = ({ namespace, deploymentId, userId, fence }: Holder): CoreV1.Namespace => ({
  apiVersion: apiVersionOf(Namespace) as 'v1',
  kind: 'Namespace',
  metadata: {
    name: namespace,
    labels: { [DEPLOYMENT_LABEL]: deploymentId, [USER_LABEL]: userId },
    annotations: { [FENCE_ANNOTATION]: String(fence) },
  },
})

async function raiseFence(
  client: Writer,
  found: CoreV1.Namespace,
  holder: Holder,
  signal?: AbortSignal,
): Promise<void> {
  assertHeld(found, holder)
  const { annotations = {}, labels = {}, resourceVersion } = found.metadata
  if (annotations[FENCE_ANNOTATION] === String(holder.fence) && labels[USER_LABEL] === holder.userId) return
  const metadata = {
    resourceVersion,
    labels: { [USER_LABEL]: holder.userId },
    annotations: { [FENCE_ANNOTATION]: String(holder.fence) },
  }
  await client.patch(Namespace, { name: holder.namespace }, { merge: { metadata } }, { ...(signal && { signal }) })
}

/** Throws if the namespace belongs to another deployment, or a later lease has claimed it. */
function assertHeld({ metadata }: CoreV1.Namespace, { namespace, deploymentId, fence }: Holder): void {
  const label = metadata.labels?.[DEPLOYMENT_LABEL]
  if (label !== deploymentId) {
    throw raise.NamespaceTaken(
      `namespace ${namespace} ${label === undefined ? 'is not ours' : `belongs to deployment ${label}`}`,
    )
  }
  const present = metadata.annotations?.[FENCE_ANNOTATION]
  if (present !== undefined && Number(present) > fence) throw staleFence(namespace, present, fence)
}

export const staleFence = (namespace: string, present: string, fence: number) =>
  raise.StaleFence(
    `namespace ${namespace} is held under fence ${present}, and ours is ${fence}; if no other worker runs, as after a restored database, remove its annotation ${FENCE_ANNOTATION}`,
  )

/** Throws if a later lease has claimed the namespace. The server reads it from etcd, not from an admission cache. */
export async function assertFence(
  { client }: Pick<Gate, 'client'>,
  holder: Holder,
  signal?: AbortSignal,
): Promise<void> {
  const found = await client.get(Namespace, { name: holder.namespace }, signal)
  if (found !== undefined) assertHeld(found, holder)
}

/** Deletes exactly the namespace that we hold: the API server compares its resourceVersion. */
export async function deleteHeldNamespace(gate: Gate, holder: Holder, signal?: AbortSignal): Promise<void> {
  const { client } = gate
  for (let tries = 1; ; tries++) {
    const found = await client.get(Namespace, { name: holder.namespace }, signal)
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return
    assertHeld(found, holder)
    const { uid = '', resourceVersion = '' } = found.metadata
    try {
      await client.delete(Namespace, { name: holder.namespace }, { uid, resourceVersion, ...(signal && { signal }) })
      return
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error
      await pause(gate, tries, signal)
    }
  }
}

/** Whether the namespace of a deployment exists and belongs to it. Without it there is nothing to read. */
export async function hasNamespace(
  client: Reader,
  { id, namespaceName }: { readonly id: string; readonly namespaceName: string },
  signal?: AbortSignal,
): Promise<boolean> {
  const found = await client.get(Namespace, { name: namespaceName }, signal)
  const { labels, annotations } = found?.metadata ?? {}
  return labels?.[DEPLOYMENT_LABEL] === id && annotations?.[FENCE_ANNOTATION] !== undefined
}
