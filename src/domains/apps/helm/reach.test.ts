import { expect, test } from 'vitest'
import { verdictOf, type Reach } from './reach.ts'

const SHOP: Reach = { namespace: 'shop', mayWrite: true }
const LOOKING: Reach = { namespace: 'shop', mayWrite: false }
const NOTHING: Reach = { namespace: undefined, mayWrite: false }

function verdict(request: string, reach: Reach, sent = ''): string {
  const [method = '', url = ''] = request.split(' ')
  const { pathname: path, searchParams: query } = new URL(`http://x${url}`)
  const given = verdictOf({ method, path, query, body: Buffer.from(sent) }, reach)
  if (given.is === 'forwarded') return given.writes ? `write${given.creates ? ` ${given.creates}` : ''}` : 'read'
  if (given.is === 'changesCluster') return 'change'
  const { status, body } = given.answer
  return status === 200 ? `empty ${(body as { kind: string }).kind}` : String(status)
}

test.each([
  ['GET /api/v1/namespaces/shop/secrets/x', 'read', 'read', '404'],
  ['GET /apis/apps/v1/namespaces/shop/deployments?watch=true', 'read', 'read', '404'],
  ['GET /api/v1/namespaces/shop', '404', '404', '404'],
  ['GET /api/v1/namespaces/other/secrets/x', '404', '404', '404'],
  ['GET /api/v1/namespaces/other/secrets', 'empty SecretList', 'empty SecretList', 'empty SecretList'],
  ['GET /apis/apps/v1/namespaces/other/deployments', 'empty List', 'empty List', 'empty List'],
  ['GET /api/v1/namespaces/other/pods?watch=1', '404', '404', '404'],
  ['GET /api/v1/namespaces', 'empty List', 'empty List', 'empty List'],
  ['GET /api/v1/namespaces/other', '404', '404', '404'],
  ['GET /api/v1/namespaces/shop/status', '404', '404', '404'],
  ['GET /api/v1/secrets', 'empty SecretList', 'empty SecretList', 'empty SecretList'],
  ['GET /api/v1/watch/secrets', '404', '404', '404'],
  ['GET /api/v1/nodes/one', '404', '404', '404'],
  ['GET /apis/rbac.authorization.k8s.io/v1/clusterroles/admin', '404', '404', '404'],
  ['POST /api/v1/namespaces/shop/secrets', 'write secrets', '403', '403'],
  ['PATCH /apis/apps/v1/namespaces/shop/deployments/web', 'write', '403', '403'],
  ['DELETE /api/v1/namespaces/shop', '404', '404', '404'],
  ['PATCH /api/v1/namespaces/shop', '403', '403', '403'],
  ['PUT /api/v1/namespaces/shop/finalize', '403', '403', '403'],
  ['POST /api/v1/namespaces/other/configmaps', '403', '403', '403'],
  // An uninstall ignores what is not there.
  ['DELETE /api/v1/namespaces/other/configmaps/x', '404', '404', '404'],
  ['POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', '403', '403', '403'],
  ['GET /version', 'read', 'read', 'read'],
  ['GET /apis', 'read', 'read', 'read'],
  ['GET /apis/apps/v1', 'read', 'read', 'read'],
  ['GET /openapi/v3/apis/apps/v1', 'read', 'read', 'read'],
  ['POST /version', '403', '403', '403'],
  ['GET /metrics', '403', '403', '403'],
  ['GET /logs/kube-apiserver.log', '403', '403', '403'],
  ['GET /api/v1/namespaces/shop%2f..%2fkube-system/secrets', '400', '400', '400'],
  ['GET /api/v1/namespaces/shop//secrets', '400', '400', '400'],
  ['GET /api/v1/namespaces/shop/secrets/%zz', '400', '400', '400'],
])('%s: %s when it installs, %s when it looks, %s without a namespace', (request, installs, looks, nothing) => {
  expect([verdict(request, SHOP), verdict(request, LOOKING), verdict(request, NOTHING)]).toEqual([
    installs,
    looks,
    nothing,
  ])
})

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const role = (name: string, mayChange: boolean) => ({
  group: 'rbac.authorization.k8s.io',
  plural: 'clusterroles',
  name,
  mayChange,
})
const GRANTED: Reach = { ...SHOP, cluster: [role('shop-web', true), role('shop-old', false)] }
const named = (name: string): string => JSON.stringify({ metadata: { name } })

test.each([
  [`GET ${ROLES}/shop-web`, '', 'read'],
  [`PATCH ${ROLES}/shop-web`, '', 'change'],
  [`PUT ${ROLES}/shop-web`, '', 'change'],
  [`DELETE ${ROLES}/shop-web`, '', 'write'],
  [`POST ${ROLES}`, named('shop-web'), 'change'],
  [`POST ${ROLES}`, named('shop-webs'), '403'],
  [`POST ${ROLES}`, 'name: shop-web', '403'],
  [`POST ${ROLES}/shop-web`, named('shop-web'), '403'],
  [`GET ${ROLES}/shop-old`, '', 'read'],
  [`DELETE ${ROLES}/shop-old`, '', 'write'],
  [`PATCH ${ROLES}/shop-old`, '', '403'],
  [`POST ${ROLES}`, named('shop-old'), '403'],
  [`GET ${ROLES}/cluster-admin`, '', '404'],
  [`GET ${ROLES}`, '', 'empty List'],
  [`DELETE ${ROLES}`, '', 'empty List'],
  [`PATCH ${ROLES}/cluster-admin`, '', '403'],
  [`PATCH ${ROLES}/shop-web/status`, '', '403'],
  ['PATCH /apis/rbac.authorization.k8s.io/v1/clusterrolebindings/shop-web', '', '403'],
])('%s of a release with grants: %s %s', (request, body, expected) => {
  expect(verdict(request, GRANTED, body)).toBe(expected)
  expect(verdict(request, { ...GRANTED, mayWrite: false }, body)).not.toMatch(/write|read|change/)
})
