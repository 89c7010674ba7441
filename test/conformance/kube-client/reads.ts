import { describe, expect, it } from 'vitest'
import type { Client, KubeObject } from '../../../src/kube/index.ts'
import {
  configMap,
  configMaps,
  type Fresh,
  leases,
  namespaces,
  pods,
  refused,
  roleBindings,
  roles,
  serviceAccounts,
  widget,
  widgets,
} from './world.ts'

const names = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name)

async function some(client: Client, namespace: string): Promise<void> {
  await client.create(configMaps, configMap(namespace, 'a', undefined, { labels: { app: 'web', tier: 'front' } }))
  await client.create(configMaps, configMap(namespace, 'b', undefined, { labels: { app: 'web', tier: 'back' } }))
  await client.create(configMaps, configMap(namespace, 'c', undefined, { labels: { app: 'db' } }))
}

export function exerciseReads(fresh: Fresh): void {
  describe('reads', () => {
    it('what does not exist is undefined', async () => {
      const { client, namespace } = await fresh()
      expect(await client.get(configMaps, { namespace, name: 'ghost' })).toBeUndefined()
      expect(await client.get(configMaps, { namespace: 'conformance-nowhere', name: 'ghost' })).toBeUndefined()
    })

    it('a kind that is not served is an error', async () => {
      const { client, namespace } = await fresh()
      const unheard = { group: 'unheard.caelus.dev', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true }
      expect(await refused(client.get(unheard, { namespace, name: 'x' }))).toMatchObject({ status: 404 })
      expect(await refused(client.list(unheard, { namespace }))).toMatchObject({ status: 404 })
    })

    it.each([
      ['app=web', ['a', 'b']],
      ['app==web,tier!=back', ['a']],
      ['app,tier!=front', ['b', 'c']],
      ['app,!tier', ['c']],
      ['tier in (front, back)', ['a', 'b']],
      ['app,tier notin (front)', ['b', 'c']],
      ['app in (db),tier', []],
    ])('the labels %s select %j', async (labels, expected) => {
      const { client, namespace } = await fresh()
      await some(client, namespace)
      expect(names(await client.list(configMaps, { namespace, labels }))).toEqual(expected)
    })

    it('a name selects by field', async () => {
      const { client, namespace } = await fresh()
      await some(client, namespace)
      expect(names(await client.list(configMaps, { namespace, fields: 'metadata.name=b' }))).toEqual(['b'])
      expect(names(await client.list(configMaps, { namespace, labels: 'app', fields: 'metadata.name!=b' }))).toEqual([
        'a',
        'c',
      ])
    })

    it('a selector that cannot be read, or a field that cannot be selected by, is refused', async () => {
      const { client, namespace } = await fresh()
      expect(await refused(client.list(configMaps, { namespace, labels: 'app in' }))).toMatchObject({
        status: 400,
        reason: 'BadRequest',
      })
      expect(await refused(client.list(configMaps, { namespace, fields: 'data.x=1' }))).toMatchObject({
        status: 400,
        reason: 'BadRequest',
      })
    })

    it('a namespace by its phase, a pod by its node', async () => {
      const { client, namespace } = await fresh()
      const active = await client.list(namespaces, { fields: `status.phase=Active,metadata.name=${namespace}` })
      expect(names(active)).toEqual([namespace])
      expect(await client.list(pods, { namespace, fields: 'spec.nodeName=conformance-nowhere' })).toEqual([])
    })

    it('pages show one moment', async () => {
      const { client, namespace } = await fresh()
      await some(client, namespace)
      const where = { namespace, labels: 'app' }
      const first = await client.listPage(configMaps, { ...where, limit: 2 })
      expect(names(first.items)).toEqual(['a', 'b'])
      await client.delete(configMaps, { namespace, name: 'c' })
      await client.create(configMaps, configMap(namespace, 'd', undefined, { labels: { app: 'late' } }))
      const second = await client.listPage(configMaps, { ...where, limit: 2, continueToken: first.continueToken ?? '' })
      expect(names(second.items)).toEqual(['c'])
      expect(second.continueToken).toBeUndefined()
      expect(second.resourceVersion).toBe(first.resourceVersion)
    })

    it('a list spans namespaces when none is named', async () => {
      const { client, namespace } = await fresh()
      const label = { 'caelus.dev/conformance': namespace }
      await client.create(configMaps, configMap(namespace, 'a', undefined, { labels: label }))
      expect(names(await client.list(configMaps, { labels: `caelus.dev/conformance=${namespace}` }))).toEqual(['a'])
    })

    it('metadata can be had alone', async () => {
      const { client, namespace } = await fresh()
      await some(client, namespace)
      const page = await client.listPage(configMaps, { namespace, labels: 'app=db', limit: 10, metadataOnly: true })
      const none = await client.listPage(configMaps, { namespace, labels: 'app=none', limit: 10, metadataOnly: true })
      expect(none.items).toEqual([])
      expect(names(page.items)).toEqual(['c'])
      expect(page.items[0]?.data).toBeUndefined()
      expect(page.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
    })

    it('the items of a list say what they are', async () => {
      const { client, namespace } = await fresh()
      await client.create(configMaps, configMap(namespace, 'a', undefined, { labels: { app: 'x' } }))
      await client.create(widgets, widget(namespace, 'w'))
      expect((await client.list(configMaps, { namespace, labels: 'app=x' }))[0]).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
      })
      expect((await client.list(widgets, { namespace }))[0]).toMatchObject({
        apiVersion: 'conformance.caelus.dev/v1',
        kind: 'Widget',
      })
    })

    it('discovery lists what is served', async () => {
      const { transport } = await fresh()
      const served = async (): Promise<string[] | undefined> => {
        const { body } = await transport.send({ method: 'GET', path: '/apis/conformance.caelus.dev/v1' })
        return (body as { resources?: { name: string }[] }).resources?.map(({ name }) => name).toSorted()
      }
      await expect.poll(served).toEqual(['widgets', 'widgets/status'])
      const unheard = await transport.send({ method: 'GET', path: '/apis/unheard.caelus.dev/v1' })
      expect(unheard.status).toBe(404)
    })

    it('a lease is an object like any other, and only one update of a version wins', async () => {
      const { client, namespace } = await fresh()
      const lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l', namespace },
        spec: { holderIdentity: 'one' },
      }
      const made = await client.create(leases, lease)
      const take = (holderIdentity: string) =>
        client.replace(leases, { ...made, spec: { holderIdentity } } as KubeObject)
      const answers = await Promise.allSettled([take('two'), take('three')])
      expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    })
  })

  describe('access', () => {
    const grant = async (client: Client, namespace: string, user: string): Promise<void> => {
      const apiVersion = 'rbac.authorization.k8s.io/v1'
      const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]
      await client.create(roles, { apiVersion, kind: 'Role', metadata: { name: 'reader', namespace }, rules } as never)
      const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }]
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }
      await client.create(roleBindings, {
        apiVersion,
        kind: 'RoleBinding',
        metadata: { name: 'reader', namespace },
        subjects,
        roleRef,
      } as never)
    }

    it('an administrator may', async () => {
      const { client, namespace } = await fresh()
      expect(await client.mayI({ verb: 'delete', group: 'apps', resource: 'deployments', namespace })).toMatchObject({
        allowed: true,
      })
    })

    it('a stranger may not', async () => {
      const { client, namespace } = await fresh()
      const question = { verb: 'list', group: '', resource: 'configmaps', namespace, user: 'stranger' }
      expect(await client.mayI(question)).toMatchObject({ allowed: false })
    })

    it('the refusal of what a stranger tries names verb, resource and place', async () => {
      const { client, namespace } = await fresh()
      const error = await refused(client.as({ user: 'stranger' }).list(configMaps, { namespace }))
      expect(error).toMatchObject({ status: 403, reason: 'Forbidden' })
      expect(error.message).toContain(
        `User "stranger" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"`,
      )
      expect(await refused(client.as({ user: 'stranger' }).get(configMaps, { namespace, name: 'a' }))).toMatchObject({
        status: 403,
      })
    })

    it('a role gives exactly what it says', async () => {
      const { client, namespace } = await fresh()
      await grant(client, namespace, 'reader')
      const reader = client.as({ user: 'reader' })
      const ask = (verb: string) => client.mayI({ verb, group: '', resource: 'configmaps', namespace, user: 'reader' })
      expect.soft(await ask('delete')).toMatchObject({ allowed: false })
      await expect.poll(() => ask('list')).toMatchObject({ allowed: true })
      await reader.list(configMaps, { namespace, labels: 'none' })
      expect(await refused(reader.create(configMaps, configMap(namespace, 'a')))).toMatchObject({ status: 403 })
    })

    it('a service account gets a token with a limited life', async () => {
      const { client, namespace } = await fresh()
      await client.create(serviceAccounts, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'robot', namespace },
      })
      const { token, expiresAt } = await client.serviceAccountToken(
        { namespace, name: 'robot' },
        { expirationSeconds: 600 },
      )
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string }
      expect(claims.sub).toBe(`system:serviceaccount:${namespace}:robot`)
      expect(Date.parse(expiresAt)).toBeGreaterThan(0)
      expect(await refused(client.serviceAccountToken({ namespace, name: 'ghost' }, {}))).toMatchObject({ status: 404 })
    })
  })
}
