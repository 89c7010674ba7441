import {
  ClusterRole,
  isForbidden,
  Namespace,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type CoreV1,
  type Writer,
} from '../../kube/index.ts'

/* The admission policy that compares fences, and the rights of the user that it applies to: see fence.ts. */

export const DEPLOYMENT_LABEL = 'caelus.io/deployment-id'
export const USER_LABEL = 'caelus.io/user-id'
export const FENCE_ANNOTATION = 'caelus.io/fence'
export const FENCE_EXTRA = 'caelus.io/fence'

/** The user that acts in namespaces of deployments. */
export const WORKER = 'caelus:worker'
/** The user that looks into namespaces of deployments: it reads there, and writes in dry runs alone. */
export const VIEWER = 'caelus:viewer'
const POLICY = 'caelus-fence'
export const ROLE = 'caelus-release'
const STALE = 'stale fence'
/** How the API server begins a refusal by the policy. Nothing of it is a tenant's. */
export const STALE_REFUSAL = `ValidatingAdmissionPolicy '${POLICY}' with binding '${POLICY}' denied request: ${STALE}`

/** A namespace that cannot be created: an attempt shows whether the policy is enforced. */
export const PROBE = 'caelus-fence-probe'
const IS_PROBE = `request.resource.resource == 'namespaces' && request.name == '${PROBE}'`
export const ENFORCED = 'the fence is enforced'

/** Rights in this group mean something to the policy alone: the ClusterRole of a release with grants has them, see grants/rights.ts. */
export const RIGHTS_GROUP = 'caelus.io'
/** By which Helm knows whose an object is. */
export const OWNER_ANNOTATION = 'meta.helm.sh/release-namespace'
const ownerOf = (object: string): string =>
  `${object} != null && has(${object}.metadata.annotations) && '${OWNER_ANNOTATION}' in ${object}.metadata.annotations ? ${object}.metadata.annotations['${OWNER_ANNOTATION}'] : ''`

/**
 * Without a namespace selector: the labels of a Namespace are compared as they would become, so that whoever drops the
 * label would not be selected.
 *
 * What is cluster-scoped has no namespace with a fence in it. There the ClusterRole of the release says which fence holds and
 * which names are granted, and Helm's own mark on the object says whose it is: before the change and after it.
 */
const policy: ValidatingAdmissionPolicy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: POLICY },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [
        {
          apiGroups: ['*'],
          apiVersions: ['*'],
          resources: ['*/*'],
          operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
          scope: '*',
        },
      ],
    },
    matchConditions: [
      {
        name: 'acts-for-a-deployment',
        expression: `request.userInfo.username in ['${WORKER}', '${VIEWER}'] || ${IS_PROBE}`,
      },
      // Questions about one's own rights, which change nothing.
      { name: 'changes-something', expression: `request.resource.group != 'authorization.k8s.io'` },
    ],
    variables: [
      {
        name: 'fence',
        expression: `has(namespaceObject.metadata.annotations) && '${FENCE_ANNOTATION}' in namespaceObject.metadata.annotations ? namespaceObject.metadata.annotations['${FENCE_ANNOTATION}'] : 'none'`,
      },
      {
        name: 'holder',
        expression: `has(namespaceObject.metadata.labels) && '${DEPLOYMENT_LABEL}' in namespaceObject.metadata.labels ? namespaceObject.metadata.labels['${DEPLOYMENT_LABEL}'] + ':' + variables.fence : 'none'`,
      },
      { name: 'isNamespace', expression: `request.resource.group == '' && request.resource.resource == 'namespaces'` },
      {
        name: 'isOfCluster',
        expression: `!variables.isNamespace && (!has(request.namespace) || request.namespace == '')`,
      },
      { name: 'owner', expression: ownerOf('object') },
      { name: 'ownerBefore', expression: ownerOf('oldObject') },
      {
        name: 'name',
        expression: `object != null ? (has(object.metadata.name) ? object.metadata.name : '') : oldObject.metadata.name`,
      },
      {
        name: 'session',
        expression: `has(request.userInfo.extra) && '${FENCE_EXTRA}' in request.userInfo.extra && size(request.userInfo.extra['${FENCE_EXTRA}']) == 1 ? request.userInfo.extra['${FENCE_EXTRA}'][0] : 'none'`,
      },
      { name: 'release', expression: `object == null ? variables.ownerBefore : variables.owner` },
    ],
    validations: [
      { expression: `!(${IS_PROBE})`, message: `${ENFORCED}: nobody creates ${PROBE}`, reason: 'Forbidden' },
      {
        expression: `!variables.isNamespace`,
        message: 'a release does not change namespaces, not even its own',
        reason: 'Forbidden',
      },
      {
        expression: `request.userInfo.username != '${VIEWER}' || (has(request.dryRun) && request.dryRun)`,
        message: `${VIEWER} writes in dry runs alone`,
        reason: 'Forbidden',
      },
      {
        expression: `variables.isNamespace || variables.isOfCluster || request.userInfo.username != '${WORKER}' || ('${FENCE_EXTRA}' in request.userInfo.extra && variables.holder in request.userInfo.extra['${FENCE_EXTRA}'])`,
        messageExpression: `'${STALE}: the namespace is held under fence ' + variables.fence`,
        reason: 'Forbidden',
      },
      {
        expression: `!variables.isOfCluster || (variables.release != '' && (object == null || oldObject == null || variables.owner == variables.ownerBefore))`,
        messageExpression: `request.resource.resource + ' ' + variables.name + ' belongs to the cluster or to another release, not to ' + variables.release`,
        reason: 'Forbidden',
      },
      {
        expression: `!variables.isOfCluster || request.userInfo.username != '${WORKER}' || authorizer.group('${RIGHTS_GROUP}').resource('releases').name(variables.session + ':' + variables.release).check('hold').allowed()`,
        message: `${STALE}: the release is not held under this fence`,
        reason: 'Forbidden',
      },
      {
        expression: `!variables.isOfCluster || request.userInfo.username != '${WORKER}' || authorizer.group('${RIGHTS_GROUP}').resource('objects').name(variables.release + ':' + request.resource.resource + '.' + request.resource.group + '/' + variables.name).check(request.operation == 'DELETE' ? 'delete' : 'write').allowed()`,
        messageExpression: `request.resource.resource + ' ' + variables.name + ' is not granted to release ' + variables.release`,
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

/** A release may consist of every namespaced kind. Bound only in namespaces of deployments. */
const role: ClusterRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: ROLE },
  rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
}

/** Idempotent: every worker does it when it starts. */
export async function installFence(client: Writer, signal?: AbortSignal): Promise<void> {
  const options = { force: true, ...(signal && { signal }) }
  await client.apply(ClusterRole, role, options)
  await client.apply(ValidatingAdmissionPolicy, policy, options)
  await client.apply(ValidatingAdmissionPolicyBinding, binding, options)
}

/** Whether the API server behind our connection enforces the policy: a write that it must refuse is tried in a dry run. */
export async function isFenceEnforced(client: Writer, signal?: AbortSignal): Promise<boolean> {
  const probe: CoreV1.Namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: PROBE, labels: { [DEPLOYMENT_LABEL]: 'probe' } },
  }
  try {
    await client.apply(Namespace, probe, { dryRun: true, force: true, ...(signal && { signal }) })
    return false
  } catch (error) {
    if (isForbidden(error) && error.message.includes(ENFORCED)) return true
    throw error
  }
}
