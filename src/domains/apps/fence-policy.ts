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

/** A namespace that nobody can create: an attempt tells whether the policy is enforced. */
export const PROBE = 'caelus-fence-probe'
const IS_PROBE = `request.resource.resource == 'namespaces' && request.name == '${PROBE}'`
export const ENFORCED = 'the fence is enforced'

/**
 * Without a namespace selector: the labels of a Namespace are compared as they would become, so that whoever drops the
 * label would not be selected.
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
          scope: 'Namespaced',
        },
        {
          apiGroups: [''],
          apiVersions: ['*'],
          resources: ['namespaces', 'namespaces/*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          scope: 'Cluster',
        },
      ],
    },
    matchConditions: [
      {
        name: 'acts-for-a-deployment',
        expression: `request.userInfo.username in ['${WORKER}', '${VIEWER}'] || ${IS_PROBE}`,
      },
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
        expression: `variables.isNamespace || request.userInfo.username != '${WORKER}' || ('${FENCE_EXTRA}' in request.userInfo.extra && variables.holder in request.userInfo.extra['${FENCE_EXTRA}'])`,
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
