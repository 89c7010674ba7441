import {
  ClusterRole,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type Writer,
} from '../../kube/index.ts'

/* The admission policy that compares fences, and the rights of the user that it applies to: see fence.ts. */

export const DEPLOYMENT_LABEL = 'caelus.io/deployment-id'
export const USER_LABEL = 'caelus.io/user-id'
export const FENCE_ANNOTATION = 'caelus.io/fence'
export const FENCE_EXTRA = 'caelus.io/fence'

/** The user that acts in namespaces of deployments. */
export const WORKER = 'caelus:worker'
const POLICY = 'caelus-fence'
export const ROLE = 'caelus-release'
const STALE = 'stale fence'
/** How the API server begins a refusal by the policy. Nothing of it is a tenant's. */
export const STALE_REFUSAL = `ValidatingAdmissionPolicy '${POLICY}' with binding '${POLICY}' denied request: ${STALE}`

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
