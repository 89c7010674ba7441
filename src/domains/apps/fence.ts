import { delayFor, sleep, type Backoff, type Clock } from '../../kernel/index.ts'
import {
  apiVersionOf,
  ClusterRole,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  KubeError,
  Namespace,
  RoleBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type Client,
  type CoreV1,
  type Identity,
  type Reader,
  type Writer,
} from '../../kube/index.ts'
import { raise } from './failures.ts'

/*
 * How a fence reaches the API server.
 *
 * The holder of a lease writes its fence into the namespace, and from then on acts there as a user whose identity names
 * that fence. A policy of the API server refuses the user when the two differ. So whatever a worker that lost its lease
 * still has on its way, its own call or that of a Helm it had started, is refused at the first write.
 *
 * The fence travels as an extra field of the identity, not as a group: who may impersonate any group may be an
 * administrator, while any value of one extra field gives no right to anybody.
 */

export const DEPLOYMENT_LABEL = 'caelus.io/deployment-id'
export const USER_LABEL = 'caelus.io/user-id'
export const FENCE_ANNOTATION = 'caelus.io/fence'
export const FENCE_EXTRA = 'caelus.io/fence'

const WORKER = 'caelus:worker'
const POLICY = 'caelus-fence'
const ROLE = 'caelus-release'
const STALE = 'stale fence'

/** As whom effects for a deployment are done under a lease. */
export const fenced = (deploymentId: string, fence: number): Identity => ({
  user: WORKER,
  extra: { [FENCE_EXTRA]: [`${deploymentId}:${fence}`] },
})

/** The API server refused us because somebody else holds the deployment by now. */
export const isStale = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.message.includes(STALE)

const policy: ValidatingAdmissionPolicy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: POLICY },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: { matchExpressions: [{ key: DEPLOYMENT_LABEL, operator: 'Exists' }] },
      objectSelector: {},
      resourceRules: [
        {
          apiGroups: ['*'],
          apiVersions: ['*'],
          resources: ['*/*'],
          operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
          scope: 'Namespaced',
        },
      ],
    },
    matchConditions: [{ name: 'acts-for-a-fence', expression: `request.userInfo.username == '${WORKER}'` }],
    variables: [
      {
        name: 'fence',
        expression: `has(namespaceObject.metadata.annotations) && '${FENCE_ANNOTATION}' in namespaceObject.metadata.annotations ? namespaceObject.metadata.annotations['${FENCE_ANNOTATION}'] : 'none'`,
      },
      {
        name: 'holder',
        expression: `namespaceObject.metadata.labels['${DEPLOYMENT_LABEL}'] + ':' + variables.fence`,
      },
    ],
    validations: [
      {
        expression: `'${FENCE_EXTRA}' in request.userInfo.extra && variables.holder in request.userInfo.extra['${FENCE_EXTRA}']`,
        messageExpression: `'${STALE}: the namespace is held under fence ' + variables.fence`,
        reason: 'Forbidden',
      },
    ],
  },
}

const binding: ValidatingAdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: POLICY },
  spec: { policyName: POLICY, validationActions: ['Deny'] },
}

/** What a release may consist of: everything that lives in a namespace. Bound only in namespaces of deployments. */
const role: ClusterRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: ROLE },
  rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
}

/** Harmless twice; every worker does it when it starts. */
export async function installFence(client: Writer, signal?: AbortSignal): Promise<void> {
  const options = { force: true, ...(signal && { signal }) }
  await client.apply(ClusterRole, role, options)
  await client.apply(ValidatingAdmissionPolicy, policy, options)
  await client.apply(ValidatingAdmissionPolicyBinding, binding, options)
}

const releaseRights = (namespace: string): RoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: ROLE, namespace },
  roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: ROLE },
  subjects: [{ apiGroup: ClusterRole.group, kind: 'User', name: WORKER }],
})

export interface Holder {
  readonly namespace: string
  readonly deploymentId: string
  readonly userId: string
  readonly fence: number
}

/** The cluster, and the time that its caches are given. */
export interface Gate {
  readonly client: Client
  readonly clock: Clock
}

/** Races with the namespace's own controllers are lost a few times at most. */
const TRIES = 10

/** Caches of the API server follow within milliseconds as a rule, and within seconds when it is busy. Some 6.5 s in all. */
const PAUSES: Backoff = { baseMs: 20, capMs: 2_000 }

const pause = ({ clock }: Gate, tries: number, signal?: AbortSignal): Promise<void> =>
  sleep(clock, delayFor(tries, PAUSES), signal)

/** Creates the namespace under this fence, or claims it when it is there already. */
export async function createNamespace(gate: Gate, holder: Holder, signal?: AbortSignal): Promise<void> {
  try {
    await gate.client.create(Namespace, namespaceOf(holder), { ...(signal && { signal }) })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return await claimNamespace(gate, holder, signal)
  }
  // In one that is new nobody has rights yet: trying first would only be refused.
  await grantRights(gate, holder, signal)
  await enter(gate, holder, signal)
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
 * Admission and authorization look at the cluster through caches of their own. Once they let us in they have seen our
 * fence, and refuse the one before.
 *
 * What we try is to write our own rights as ourselves: nothing changes when they are as they should be, and no policy of
 * the cluster can mind an object that had to be there anyway.
 */
async function enter(gate: Gate, holder: Holder, signal?: AbortSignal): Promise<void> {
  const { namespace, deploymentId, fence } = holder
  const us = { client: gate.client.as(fenced(deploymentId, fence)) }
  for (let tries = 1; ; tries++) {
    try {
      return await grantRights(us, holder, signal)
    } catch (error) {
      if (!isForbidden(error) || tries === TRIES) throw isStale(error) ? staleFence(namespace, 'another', fence) : error
      if (!isStale(error)) await grantRights(gate, holder, signal)
      await pause(gate, tries, signal)
    }
  }
}

async function grantRights(
  { client }: Pick<Gate, 'client'>,
  { namespace }: Holder,
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

/** Throws when the namespace is another's, or another lease has reached it. */
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

const staleFence = (namespace: string, present: string, fence: number) =>
  raise.StaleFence(
    `namespace ${namespace} is held under fence ${present}, and ours is ${fence}; if no other worker runs, as after a restored database, remove its annotation ${FENCE_ANNOTATION}`,
  )

/** Deletes exactly the namespace that we hold: its version is what the API server compares. */
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

/** As whom the present holder acts there; `undefined`: nobody has held it yet. For dry runs, which must pass the policy. */
export async function presentHolder(
  client: Reader,
  namespace: string,
  signal?: AbortSignal,
): Promise<Identity | undefined> {
  const found = await client.get(Namespace, { name: namespace }, signal)
  const [id, fence] = [found?.metadata.labels?.[DEPLOYMENT_LABEL], found?.metadata.annotations?.[FENCE_ANNOTATION]]
  return id === undefined || fence === undefined ? undefined : fenced(id, Number(fence))
}
