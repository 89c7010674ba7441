import { describe, expect, it } from 'vitest'
import type { Client, KubeObject } from '../../../src/kube/index.ts'
import { configMap, configMaps, eventually, type Fresh, namespaces, pods, refused, widget, widgets } from './world.ts'

const ownedBy = (owner: KubeObject, blockOwnerDeletion = false) => ({
  ownerReferences: [
    {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name: owner.metadata.name,
      uid: owner.metadata.uid ?? '',
      blockOwnerDeletion,
    },
  ],
})

const release = (client: Client, namespace: string, name: string) =>
  client.patch(configMaps, { namespace, name }, { merge: { metadata: { finalizers: null } } })

export function exerciseDeletion(fresh: Fresh): void {
  describe('deletion', () => {
    it('what is deleted is gone, and deleting it again says that nothing was there', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'a' }
      await client.create(configMaps, configMap(namespace, 'a'))
      expect(await client.delete(configMaps, at)).toEqual({ found: true })
      expect(await client.get(configMaps, at)).toBeUndefined()
      expect(await client.delete(configMaps, at)).toEqual({ found: false })
    })

    it('a recreated object has another uid', async () => {
      const { client, namespace } = await fresh()
      const first = await client.create(configMaps, configMap(namespace, 'a'))
      await client.delete(configMaps, { namespace, name: 'a' })
      const second = await client.create(configMaps, configMap(namespace, 'a'))
      expect(second.metadata.uid).not.toBe(first.metadata.uid)
    })

    it('a uid that is not the present one protects the namesake', async () => {
      const { client, namespace } = await fresh()
      const { metadata } = await client.create(configMaps, configMap(namespace, 'a'))
      const at = { namespace, name: 'a' }
      const other = '00000000-0000-4000-8000-000000000000'
      expect(await refused(client.delete(configMaps, at, { uid: other }))).toMatchObject({
        status: 409,
        reason: 'Conflict',
      })
      expect(await client.delete(configMaps, at, { uid: metadata.uid ?? '' })).toEqual({ found: true })
    })

    it('a version that is not the present one protects what changed', async () => {
      const { client, namespace } = await fresh()
      const { metadata } = await client.create(configMaps, configMap(namespace, 'a'))
      const at = { namespace, name: 'a' }
      await client.patch(configMaps, at, { merge: { data: { x: '1' } } })
      const stale = { resourceVersion: metadata.resourceVersion ?? '' }
      expect(await refused(client.delete(configMaps, at, stale))).toMatchObject({ status: 409, reason: 'Conflict' })
    })

    it('a finalizer holds the object until it is removed', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'a' }
      await client.create(configMaps, configMap(namespace, 'a', undefined, { finalizers: ['caelus.dev/hold'] }))
      const { remaining } = await client.delete(configMaps, at)
      const going = await client.get(configMaps, at)
      expect(going?.metadata.deletionTimestamp).toBeDefined()
      expect(remaining).toEqual(going)
      expect(await client.delete(configMaps, at)).toEqual({ found: true, remaining })
      expect((await client.get(configMaps, at))?.metadata.resourceVersion).toBe(going?.metadata.resourceVersion)
      await release(client, namespace, 'a')
      expect(await client.get(configMaps, at)).toBeUndefined()
    })

    it('being deleted counts as a new generation', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'w' }
      await client.create(widgets, widget(namespace, 'w', {}, { finalizers: ['caelus.dev/hold'] }))
      await client.delete(widgets, at)
      expect((await client.get(widgets, at))?.metadata.generation).toBe(2)
      await client.patch(widgets, at, { merge: { metadata: { finalizers: [] } } })
      expect(await client.get(widgets, at)).toBeUndefined()
    })

    it('what is being deleted can still be changed, but gets no new finalizer', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'a' }
      await client.create(configMaps, configMap(namespace, 'a', undefined, { finalizers: ['caelus.dev/hold'] }))
      await client.delete(configMaps, at)
      const more = { merge: { metadata: { finalizers: ['caelus.dev/hold', 'caelus.dev/more'] } } }
      const error = await refused(client.patch(configMaps, at, more))
      expect(error.status).toBe(422)
      expect(error.details.causes?.[0]?.field).toBe('metadata.finalizers')
      expect((await client.patch(configMaps, at, { merge: { data: { x: '1' } } })).data).toEqual({ x: '1' })
      await release(client, namespace, 'a')
    })

    it('an applied finalizer list that loses its last entry lets the object go', async () => {
      const { client, namespace } = await fresh()
      await client.apply(configMaps, configMap(namespace, 'a', undefined, { finalizers: ['caelus.dev/hold'] }))
      await client.delete(configMaps, { namespace, name: 'a' })
      await client.apply(configMaps, configMap(namespace, 'a'))
      expect(await client.get(configMaps, { namespace, name: 'a' })).toBeUndefined()
    })

    it('what is owned follows its owner', async () => {
      const world = await fresh()
      const { client, namespace } = world
      const owner = await client.create(configMaps, configMap(namespace, 'owner'))
      await client.create(configMaps, configMap(namespace, 'owned', undefined, ownedBy(owner)))
      await client.delete(configMaps, { namespace, name: 'owner' })
      await eventually(world, async () =>
        expect(await client.get(configMaps, { namespace, name: 'owned' })).toBeUndefined(),
      )
    })

    it('in the foreground the owner waits for what it owns', async () => {
      const world = await fresh()
      const { client, namespace } = world
      const owner = await client.create(configMaps, configMap(namespace, 'owner'))
      const held = { ...ownedBy(owner, true), finalizers: ['caelus.dev/hold'] }
      await client.create(configMaps, configMap(namespace, 'owned', undefined, held))
      await client.delete(configMaps, { namespace, name: 'owner' }, { propagation: 'Foreground' })
      await eventually(world, async () => {
        expect((await client.get(configMaps, { namespace, name: 'owned' }))?.metadata.deletionTimestamp).toBeDefined()
      })
      expect((await client.get(configMaps, { namespace, name: 'owner' }))?.metadata.finalizers).toEqual([
        'foregroundDeletion',
      ])
      await release(client, namespace, 'owned')
      await eventually(world, async () =>
        expect(await client.get(configMaps, { namespace, name: 'owner' })).toBeUndefined(),
      )
    })

    it('an orphan loses its owner and stays', async () => {
      const world = await fresh()
      const { client, namespace } = world
      const owner = await client.create(configMaps, configMap(namespace, 'owner'))
      await client.create(configMaps, configMap(namespace, 'owned', undefined, ownedBy(owner)))
      await client.delete(configMaps, { namespace, name: 'owner' }, { propagation: 'Orphan' })
      await eventually(world, async () =>
        expect(await client.get(configMaps, { namespace, name: 'owner' })).toBeUndefined(),
      )
      const orphan = await client.get(configMaps, { namespace, name: 'owned' })
      expect(orphan?.metadata.ownerReferences ?? []).toEqual([])
    })

    it('a pod on a node gets its grace period, and goes when its node says so', async () => {
      const { client, transport, namespace } = await fresh()
      const at = { namespace, name: 'p' }
      const spec = { nodeName: 'conformance-nowhere', containers: [{ name: 'c', image: 'example.invalid/c:1' }] }
      const { status } = await transport.send({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/pods`,
        body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace }, spec },
      })
      expect(status).toBe(201)
      await client.delete(pods, at, { graceSeconds: 40 })
      const going = await client.get(pods, at)
      expect(going?.metadata).toMatchObject({ deletionGracePeriodSeconds: 40 })
      await client.delete(pods, at, { graceSeconds: 0 })
      expect(await client.get(pods, at)).toBeUndefined()
    })
  })

  describe('namespaces', () => {
    it('are born active and labelled with their name', async () => {
      const { client, namespace } = await fresh()
      const seen = await client.get(namespaces, { name: namespace })
      expect(seen?.status?.phase).toBe('Active')
      expect(seen?.metadata.labels).toMatchObject({ 'kubernetes.io/metadata.name': namespace })
    })

    it('take nothing new while they go, and go when they are empty', async () => {
      const world = await fresh()
      const { client, namespace } = world
      await client.create(configMaps, configMap(namespace, 'a', undefined, { finalizers: ['caelus.dev/hold'] }))
      await client.delete(namespaces, { name: namespace })
      expect((await client.get(namespaces, { name: namespace }))?.status?.phase).toBe('Terminating')
      const error = await refused(client.create(configMaps, configMap(namespace, 'b')))
      expect(error).toMatchObject({ status: 403, reason: 'Forbidden' })
      expect(error.details.causes?.[0]?.reason).toBe('NamespaceTerminating')
      await eventually(world, async () => {
        expect((await client.get(configMaps, { namespace, name: 'a' }))?.metadata.deletionTimestamp).toBeDefined()
      })
      await release(client, namespace, 'a')
    })
  })
}
