import { expect, test } from 'vitest'
import { isAsDesired, namespaceObjects, policiesDigest, podSecurityLabels, type NamespacePolicies } from './policies.ts'

const NETWORK = { ingressNamespaces: [], ingressCidrs: [], egressExcept: ['169.254.169.254/32', 'fd00:ec2::254/128'] }
const POLICIES: NamespacePolicies = {
  podSecurity: 'baseline',
  quota: { 'requests.memory': '1024Mi' },
  defaultRequests: { cpu: '50m' },
  network: NETWORK,
}
const place = { namespace: 'shop', deploymentId: '1' }

const specs = (policies: NamespacePolicies): unknown[] =>
  namespaceObjects(policies, place).map(({ desired }) => (desired as { spec?: unknown } | undefined)?.spec)

test('a policy that is switched off wants no object', () => {
  const off: NamespacePolicies = { podSecurity: 'privileged', quota: {}, defaultRequests: {}, network: undefined }
  expect(specs(off)).toEqual([undefined, undefined, undefined])
  expect(podSecurityLabels(off)).toEqual({
    'pod-security.kubernetes.io/enforce': 'privileged',
    'pod-security.kubernetes.io/warn': null,
    'pod-security.kubernetes.io/audit': null,
  })
})

test('an app may be reached from its namespace and the platform, and reaches everything but the exceptions', () => {
  const platform = {
    namespaceSelector: { matchExpressions: [{ key: 'caelus.io/deployment-id', operator: 'DoesNotExist' }] },
  }
  expect(specs(POLICIES)[2]).toEqual({
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [{ podSelector: {} }, platform] }],
    egress: [
      {
        to: [
          { podSelector: {} },
          platform,
          { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } },
          { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128'] } },
        ],
      },
    ],
  })
  const network = { ingressNamespaces: ['ingress'], ingressCidrs: ['10.0.0.0/8'], egressExcept: [] }
  expect(specs({ ...POLICIES, network })[2]).toMatchObject({
    ingress: [
      {
        from: [
          { podSelector: {} },
          { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', values: ['ingress'] }] } },
          { ipBlock: { cidr: '10.0.0.0/8' } },
        ],
      },
    ],
  })
})

test('the digest changes with every setting', () => {
  const others: NamespacePolicies[] = [
    POLICIES,
    { ...POLICIES, podSecurity: 'restricted' },
    { ...POLICIES, quota: { pods: '1' } },
    { ...POLICIES, defaultRequests: {} },
    { ...POLICIES, network: { ...NETWORK, egressExcept: [] } },
  ]
  expect(new Set(others.map(policiesDigest)).size).toBe(others.length)
  expect(policiesDigest({ ...POLICIES })).toBe(policiesDigest(POLICIES))
})

test('a live object is as desired in whatever form the API server keeps quantities', () => {
  const [quota] = namespaceObjects(POLICIES, place)
  if (quota?.desired === undefined) throw new Error('expected a quota')
  const live = (memory: string) => ({ ...quota.desired, spec: { hard: { 'requests.memory': memory } } }) as never
  expect(isAsDesired(quota, live('1Gi'))).toBe(true)
  expect(isAsDesired(quota, live('2Gi'))).toBe(false)
  expect(isAsDesired(quota, undefined)).toBe(false)
  expect(isAsDesired({ ...quota, desired: undefined }, undefined)).toBe(true)
})
