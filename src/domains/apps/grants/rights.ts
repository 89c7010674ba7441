import { createHash } from 'node:crypto'
import { delayFor, sameValue, sleep, type Backoff } from '../../../kernel/index.ts'
import {
  ClusterRole,
  ClusterRoleBinding,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  type RbacV1,
  type Reader,
  type Resource,
} from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import {
  DEPLOYMENT_LABEL,
  FENCE_ANNOTATION,
  OWNER_ANNOTATION,
  RIGHTS_GROUP,
  ROLE,
  VIEWER,
  WORKER,
} from '../fence-policy.ts'
import { fenced, staleFence, type Gate, type Holder } from '../fence.ts'
import type { ClusterReach } from '../helm/reach.ts'
import { isJsonArray, isJsonObject, readAt } from '../values/json.ts'
import { pluralOf, type GrantedObject } from './grant.ts'

/*
 * The rights of one release outside of its namespace: a ClusterRole and its binding, named after the release.
 *
 * All releases are applied as the same user, so RBAC alone would let one release touch what was granted to another. So the
 * role also has rights that mean something to the policy of the fence alone: `hold` of a release under one fence, and `write`
 * or `delete` of one object for one release. The policy asks for both, and for Helm's mark on the object.
 *
 * The role is also what is remembered of the objects that a release ever might have had: what is no longer granted can be
 * read and deleted until the release is gone.
 */

/** An object outside of the namespace of a release, by name. */
interface HeldObject {
  readonly group: string
  readonly kind: string
  readonly name: string
}

const HELD_ANNOTATION = 'caelus.io/held-objects'
const TRIES = 10
/** As for the fence: caches of the API server follow within milliseconds as a rule. */
const PAUSES: Backoff = { baseMs: 20, capMs: 2_000 }

type Rights = Omit<Holder, 'userId'>

const nameOf = (namespace: string): string => `${ROLE}-${namespace}`

/** Gives the release its rights under this fence. Answers with what it reaches outside of its namespace. */
export async function ensureRights(
  gate: Gate,
  holder: Rights,
  granted: readonly GrantedObject[],
  signal?: AbortSignal,
): Promise<readonly ClusterReach[]> {
  const standing = granted.filter(({ isRevoked }) => !isRevoked)
  try {
    const role = await takeRole(gate, holder, standing, signal)
    return role === undefined ? [] : reachOf(heldIn(role), standing)
  } catch (error) {
    if (!isForbidden(error)) throw error
    // Whoever may not give rights has given none.
    if (standing.length === 0) return []
    const what = 'the worker may not give a release the rights that were granted to its template'
    throw raise.GrantsDisabled(`${what}: ${error.message}`, { cause: error })
  }
}

/** `undefined`: there is nothing to have rights for, and there was nothing before. */
async function takeRole(
  gate: Gate,
  holder: Rights,
  granted: readonly GrantedObject[],
  signal?: AbortSignal,
): Promise<RbacV1.ClusterRole | undefined> {
  const role = await writeRole(gate, holder, granted, signal)
  if (role === undefined) return undefined
  await gate.client.apply(ClusterRoleBinding, bindingOf(holder), { force: true, ...(signal && { signal }) })
  await enter(gate, holder, role, signal)
  return role
}

async function writeRole(
  { client, clock }: Gate,
  holder: Rights,
  granted: readonly GrantedObject[],
  signal?: AbortSignal,
): Promise<RbacV1.ClusterRole | undefined> {
  for (let tries = 1; ; tries++) {
    const found = await client.get(ClusterRole, { name: nameOf(holder.namespace) }, signal)
    if (found === undefined && granted.length === 0) return undefined
    assertHeld(found, holder)
    const wanted = roleOf(holder, granted, unique([...(found === undefined ? [] : heldIn(found)), ...granted]))
    if (found !== undefined && isAs(found, wanted)) return found
    const options = { ...(signal && { signal }) }
    try {
      if (found === undefined) return await client.create(ClusterRole, wanted, options)
      const { resourceVersion } = found.metadata
      return await client.replace(
        ClusterRole,
        { ...wanted, metadata: { ...wanted.metadata, ...(resourceVersion !== undefined && { resourceVersion }) } },
        options,
      )
    } catch (error) {
      if (!(isConflict(error) || isAlreadyExists(error) || isNotFound(error)) || tries === TRIES) throw error
      await sleep(clock, delayFor(tries, PAUSES), signal)
    }
  }
}

function assertHeld(role: RbacV1.ClusterRole | undefined, { namespace, deploymentId, fence }: Rights): void {
  if (role === undefined) return
  const { labels, annotations, name } = role.metadata
  if (labels?.[DEPLOYMENT_LABEL] !== deploymentId)
    throw raise.ObjectTaken(`ClusterRole ${name} exists and is not that of this release`)
  const present = annotations?.[FENCE_ANNOTATION]
  if (present !== undefined && Number(present) > fence) throw staleFence(namespace, present, fence)
}

const isAs = (found: RbacV1.ClusterRole, wanted: RbacV1.ClusterRole): boolean =>
  sameValue(found.rules, wanted.rules) &&
  Object.entries(wanted.metadata.annotations ?? {}).every(([key, value]) => found.metadata.annotations?.[key] === value)

function roleOf(holder: Rights, granted: readonly GrantedObject[], held: readonly HeldObject[]): RbacV1.ClusterRole {
  const { namespace, deploymentId, fence } = holder
  const rules = [...reachOf(held, granted).flatMap((one) => rulesFor(namespace, one)), ...handedOver(granted)]
  const session = `${deploymentId}:${fence}:${namespace}`
  const hold = [session, `${session}:${digestOf(rules)}`]
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: nameOf(namespace),
      labels: { [DEPLOYMENT_LABEL]: deploymentId },
      annotations: {
        [FENCE_ANNOTATION]: String(fence),
        [HELD_ANNOTATION]: JSON.stringify(held.map(({ group, kind, name }) => ({ group, kind, name }))),
      },
    },
    rules: [{ apiGroups: [RIGHTS_GROUP], resources: ['releases'], resourceNames: hold, verbs: ['hold'] }, ...rules],
  }
}

/** Creation cannot be bound to a name by RBAC; the policy asks for `write` of the name. */
function rulesFor(release: string, { group, plural, name, mayChange }: ClusterReach): RbacV1.PolicyRule[] {
  const named = { apiGroups: [group], resources: [plural], resourceNames: [name] }
  const forPolicy = {
    apiGroups: [RIGHTS_GROUP],
    resources: ['objects'],
    resourceNames: [`${release}:${plural}.${group}/${name}`],
  }
  if (!mayChange)
    return [
      { ...named, verbs: ['get', 'delete'] },
      { ...forPolicy, verbs: ['delete'] },
    ]
  return [
    { ...named, verbs: ['get', 'patch', 'update', 'delete'] },
    { apiGroups: [group], resources: [plural], verbs: ['create'] },
    { ...forPolicy, verbs: ['write', 'delete'] },
  ]
}

/** Kubernetes refuses to hand over rights that the writer does not have, unless it may `escalate` or `bind` this role. */
function handedOver(granted: readonly GrantedObject[]): RbacV1.PolicyRule[] {
  const roles = { apiGroups: [ClusterRole.group], resources: [ClusterRole.plural] }
  return granted.flatMap(({ kind, name, content }) => {
    if (kind === ClusterRole.kind) return [{ ...roles, resourceNames: [name], verbs: ['escalate'] }]
    const bound = kind === ClusterRoleBinding.kind ? readAt(content, '/roleRef/name') : undefined
    return typeof bound === 'string' ? [{ ...roles, resourceNames: [bound], verbs: ['bind'] }] : []
  })
}

const bindingOf = ({ namespace, deploymentId }: Rights): RbacV1.ClusterRoleBinding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: nameOf(namespace), labels: { [DEPLOYMENT_LABEL]: deploymentId } },
  roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: nameOf(namespace) },
  subjects: [WORKER, VIEWER].map((name) => ({ apiGroup: ClusterRole.group, kind: 'User', name })),
})

const digestOf = (rules: readonly RbacV1.PolicyRule[]): string =>
  createHash('sha256').update(JSON.stringify(rules)).digest('hex').slice(0, 16)

/** Authorization reads a cache: only once it knows this version of the role, Helm may start. */
async function enter(
  gate: Gate,
  { deploymentId, fence }: Rights,
  role: RbacV1.ClusterRole,
  signal?: AbortSignal,
): Promise<void> {
  const us = gate.client.as(fenced(deploymentId, fence))
  const name = role.rules?.[0]?.resourceNames?.at(-1) ?? ''
  for (let tries = 1; ; tries++) {
    const { allowed } = await us.mayI({ verb: 'hold', group: RIGHTS_GROUP, resource: 'releases', name })
    if (allowed) return
    if (tries === TRIES) throw raise.ControlPlaneUnreachable(`the rights of ${role.metadata.name} do not take effect`)
    await sleep(gate.clock, delayFor(tries, PAUSES), signal)
  }
}

const reachOf = (held: readonly HeldObject[], granted: readonly GrantedObject[]): ClusterReach[] =>
  held.flatMap(({ group, kind, name }) => {
    const plural = pluralOf({ group, kind })
    const mayChange = granted.some((one) => one.group === group && one.kind === kind && one.name === name)
    return plural === undefined ? [] : [{ group, plural, name, mayChange }]
  })

const unique = (objects: readonly HeldObject[]): HeldObject[] => [
  ...new Map(objects.map((one) => [`${one.group}/${one.kind}/${one.name}`, one])).values(),
]

function heldIn({ metadata }: RbacV1.ClusterRole): HeldObject[] {
  const listed: unknown = JSON.parse(metadata.annotations?.[HELD_ANNOTATION] ?? '[]')
  if (!isJsonArray(listed)) return []
  return listed.filter((one) => isJsonObject(one)) as unknown as HeldObject[]
}

/** Deletes what a release has left outside of its namespace, and then its rights. */
export async function removeRights(gate: Gate, holder: Rights, signal?: AbortSignal): Promise<void> {
  const { client } = gate
  const role = await takeRole(gate, holder, [], signal).catch((error: unknown) => {
    if (!isForbidden(error)) throw error
    return undefined
  })
  if (role === undefined) return
  const us = client.as(fenced(holder.deploymentId, holder.fence))
  const options = { ...(signal && { signal }) }
  for (const { group, kind, name } of heldIn(role)) {
    const resource: Resource = {
      group,
      version: 'v1',
      kind,
      plural: pluralOf({ group, kind }) ?? '',
      namespaced: false,
    }
    const live = await us.get(resource, { name }, signal)
    const { uid, annotations = {} } = live?.metadata ?? {}
    if (annotations[OWNER_ANNOTATION] !== holder.namespace) continue
    await us.delete(resource, { name }, { ...(uid !== undefined && { uid }), ...options })
  }
  const { name } = role.metadata
  await client.delete(ClusterRoleBinding, { name }, options)
  await client.delete(ClusterRole, { name }, options)
}

/** Whose rights are there, those of releases included that are no more. */
export async function allRights(client: Reader, signal?: AbortSignal): Promise<readonly Rights[]> {
  const roles = await client.list(ClusterRole, { labels: DEPLOYMENT_LABEL }, signal).catch((error: unknown) => {
    if (!isForbidden(error)) throw error
    return []
  })
  return roles.map(({ metadata: { name, labels, annotations } }) => ({
    namespace: name.slice(ROLE.length + 1),
    deploymentId: labels?.[DEPLOYMENT_LABEL] ?? '',
    fence: Number(annotations?.[FENCE_ANNOTATION] ?? 0),
  }))
}
