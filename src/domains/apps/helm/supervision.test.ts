import { expect, test } from 'vitest'
import { contentOf } from '../grants/grant.ts'
import { Supervision } from './supervision.ts'

const NAME = 'shop-reader'
const ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: NAME },
  rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
}
const group = 'rbac.authorization.k8s.io'
const target = {
  namespace: 'shop',
  release: 'shop',
  granted: [{ group, kind: 'ClusterRole', name: NAME, content: contentOf(ROLE), isRevoked: false }],
}
const reach = {
  namespace: 'shop',
  mayWrite: true,
  cluster: [{ group, plural: 'clusterroles', name: NAME, mayChange: true }],
}
const APPLY = 'application/apply-patch+yaml'

async function sent(object: object, contentType = APPLY): Promise<string> {
  using supervision = new Supervision({ target, reach, kinds: { resourceFor: async () => undefined } })
  const answer = await supervision.judge({
    method: 'PATCH',
    path: `/apis/${group}/v1/clusterroles/${NAME}`,
    query: new URLSearchParams(),
    headers: { 'content-type': contentType },
    body: Buffer.from(JSON.stringify(object)),
  })
  if (answer === undefined) return 'forwarded'
  expect(() => supervision.assertNothingRefused()).toThrow()
  return (answer.body as { message: string }).message
}

test('what is sent of a granted object is compared with what was granted', async () => {
  expect(await sent(ROLE)).toBe('forwarded')
  const annotations = { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'shop' }
  expect(await sent({ ...ROLE, metadata: { name: NAME, annotations } })).toBe('forwarded')
  expect(await sent({ ...ROLE, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] })).toContain(
    'rules differ',
  )
  // The namespace of an object that has none is no way around.
  const placed = { ...ROLE, metadata: { name: NAME, namespace: 'shop' }, rules: [] }
  expect(await sent(placed)).toContain('rules differ')
  expect(await sent({ rules: [] }, 'application/merge-patch+json')).toContain('server-side apply alone')
  expect(await sent(['no object'])).toContain('no metadata')
})
