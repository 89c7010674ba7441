import { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding, type Writer } from '../../../kube/index.ts'
import { WORKER } from '../fence-policy.ts'
import { PLATFORM_NAME } from './policies.ts'

/*
 * Releases may consist of every namespaced kind, and RBAC cannot exclude some of them. This policy keeps a release from
 * changing what the platform puts into its namespace. It has no ResourceQuota or LimitRange at all: several of them would
 * apply together, and one of a chart could only hide which limit was hit.
 */

const policy: ValidatingAdmissionPolicy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: PLATFORM_NAME },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [
        {
          apiGroups: [''],
          apiVersions: ['*'],
          resources: ['resourcequotas', 'resourcequotas/*', 'limitranges'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          scope: 'Namespaced',
        },
        {
          apiGroups: ['networking.k8s.io'],
          apiVersions: ['*'],
          resources: ['networkpolicies'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          scope: 'Namespaced',
        },
      ],
    },
    matchConditions: [{ name: 'is-a-release', expression: `request.userInfo.username == '${WORKER}'` }],
    // The name in a request to delete many objects is empty.
    variables: [{ name: 'name', expression: 'object != null ? object.metadata.name : oldObject.metadata.name' }],
    validations: [
      {
        expression: `request.resource.resource == 'networkpolicies' && variables.name != '${PLATFORM_NAME}'`,
        messageExpression: `'the platform sets ' + request.kind.kind + ' ' + variables.name + ' in the namespace of every app: remove ' + request.kind.kind + ' from the chart'`,
        reason: 'Forbidden',
      },
    ],
  },
}

const binding: ValidatingAdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: PLATFORM_NAME },
  spec: { policyName: PLATFORM_NAME, validationActions: ['Deny'] },
}

/** Idempotent: every worker does it when it starts. */
export async function protectPlatformObjects(client: Writer, signal?: AbortSignal): Promise<void> {
  const options = { force: true, ...(signal && { signal }) }
  await client.apply(ValidatingAdmissionPolicy, policy, options)
  await client.apply(ValidatingAdmissionPolicyBinding, binding, options)
}
