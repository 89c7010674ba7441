import { describe, expect, it } from 'vitest'
import {
  configMap,
  configMaps,
  deployment,
  deployments,
  type Fresh,
  fieldsOf,
  owners,
  refused,
  widget,
  widgets,
} from './world.ts'

export function exerciseApply(fresh: Fresh): void {
  describe('server-side apply', () => {
    it('creates what is missing, owned by its manager', async () => {
      const { client, namespace } = await fresh()
      const made = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }), { fieldManager: 'one' })
      expect(made.data).toEqual({ x: '1' })
      expect(owners(made)).toEqual(['one Apply'])
      expect(fieldsOf(made, 'one')).toEqual({ 'f:data': { 'f:x': {} } })
    })

    it('writes nothing when nothing changes', async () => {
      const { client, namespace } = await fresh()
      const first = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }))
      const second = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }))
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    })

    it('removes a field that its only owner no longer states', async () => {
      const { client, namespace } = await fresh()
      await client.apply(configMaps, configMap(namespace, 'a', { x: '1', y: '2' }))
      const second = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }))
      expect(second.data).toEqual({ x: '1' })
    })

    it('keeps a field that another manager also owns', async () => {
      const { client, namespace } = await fresh()
      await client.apply(configMaps, configMap(namespace, 'a', { x: '1', y: '2' }), { fieldManager: 'one' })
      await client.apply(configMaps, configMap(namespace, 'a', { y: '2' }), { fieldManager: 'two' })
      const last = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }), { fieldManager: 'one' })
      expect(last.data).toEqual({ x: '1', y: '2' })
      expect(fieldsOf(last, 'two')).toEqual({ 'f:data': { 'f:y': {} } })
    })

    it('lets two managers own the same value, which is a write', async () => {
      const { client, namespace } = await fresh()
      const first = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }), { fieldManager: 'one' })
      const shared = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }), { fieldManager: 'two' })
      expect(owners(shared)).toEqual(['one Apply', 'two Apply'])
      expect(shared.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion)
    })

    it('names the other manager and the field of a conflict', async () => {
      const { client, namespace } = await fresh()
      await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }), { fieldManager: 'one' })
      const error = await refused(
        client.apply(configMaps, configMap(namespace, 'a', { x: '2' }), { fieldManager: 'two' }),
      )
      expect(error).toMatchObject({ status: 409, reason: 'Conflict' })
      expect(error.conflicts).toEqual([{ field: '.data.x', manager: 'one', subresource: undefined }])
      expect(error.message).toContain('Apply failed with 1 conflict: conflict with "one": .data.x')
    })

    it('names every field of several conflicts, with the keys of list items', async () => {
      const { client, namespace } = await fresh()
      const before = { image: 'example.invalid/web:1', env: [{ name: 'A', value: '1' }] }
      const after = { image: 'example.invalid/web:2', env: [{ name: 'A', value: '2' }] }
      await client.apply(deployments, deployment(namespace, before), { fieldManager: 'one' })
      const error = await refused(client.apply(deployments, deployment(namespace, after), { fieldManager: 'two' }))
      expect(error.conflicts.map(({ field }) => field)).toEqual([
        '.spec.template.spec.containers[name="web"].image',
        '.spec.template.spec.containers[name="web"].env[name="A"].value',
      ])
    })

    it('takes fields over when forced', async () => {
      const { client, namespace } = await fresh()
      await client.apply(configMaps, configMap(namespace, 'a', { x: '1', y: '1' }), { fieldManager: 'one' })
      const taken = await client.apply(configMaps, configMap(namespace, 'a', { x: '2' }), {
        fieldManager: 'two',
        force: true,
      })
      expect(taken.data).toEqual({ x: '2', y: '1' })
      expect(fieldsOf(taken, 'one')).toEqual({ 'f:data': { 'f:y': {} } })
      expect(fieldsOf(taken, 'two')).toEqual({ 'f:data': { 'f:x': {} } })
    })

    it('treats an ordinary update as taking the changed fields over', async () => {
      const { client, namespace } = await fresh()
      await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }), { fieldManager: 'one' })
      const edited = await client.patch(
        configMaps,
        { namespace, name: 'a' },
        { merge: { data: { x: '2' } } },
        { fieldManager: 'hand' },
      )
      expect(owners(edited)).toEqual(['hand Update'])
      const error = await refused(
        client.apply(configMaps, configMap(namespace, 'a', { x: '1' }), { fieldManager: 'one' }),
      )
      expect(error.message).toContain('conflict with "hand" using v1: .data.x')
    })

    it('merges containers and their variables by name', async () => {
      const { client, namespace } = await fresh()
      await client.apply(deployments, deployment(namespace, { env: [{ name: 'A', value: '1' }] }), {
        fieldManager: 'one',
      })
      const other = {
        ...deployment(namespace),
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'web', env: [{ name: 'B', value: '2' }] }] },
          },
        },
      }
      const merged = await client.apply(deployments, other as never, { fieldManager: 'two' })
      expect(merged.spec.template.spec.containers[0]?.env).toEqual([
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ])
      const left = await client.apply(deployments, deployment(namespace), { fieldManager: 'one' })
      expect(left.spec.template.spec.containers[0]?.env).toEqual([{ name: 'B', value: '2' }])
    })

    it('replaces lists without keys as a whole', async () => {
      const { client, namespace } = await fresh()
      await client.apply(deployments, deployment(namespace, { args: ['a', 'b'] }), { fieldManager: 'one' })
      const error = await refused(
        client.apply(deployments, deployment(namespace, { args: ['c'] }), { fieldManager: 'two' }),
      )
      expect(error.conflicts.map(({ field }) => field)).toEqual(['.spec.template.spec.containers[name="web"].args'])
    })

    it('merges the keyed lists of a custom resource by the keys of its schema', async () => {
      const { client, namespace } = await fresh()
      await client.apply(widgets, widget(namespace, 'w', { parts: [{ name: 'a', count: 1 }] }), { fieldManager: 'one' })
      const merged = await client.apply(widgets, widget(namespace, 'w', { parts: [{ name: 'b', count: 2 }] }), {
        fieldManager: 'two',
      })
      expect(merged.spec?.parts).toEqual([
        { name: 'a', count: 1 },
        { name: 'b', count: 2 },
      ])
    })

    it('owns finalizers one by one', async () => {
      const { client, namespace } = await fresh()
      await client.apply(configMaps, configMap(namespace, 'a', undefined, { finalizers: ['caelus.dev/one'] }), {
        fieldManager: 'one',
      })
      const both = await client.apply(
        configMaps,
        configMap(namespace, 'a', undefined, { finalizers: ['caelus.dev/two'] }),
        {
          fieldManager: 'two',
        },
      )
      expect(both.metadata.finalizers).toEqual(['caelus.dev/one', 'caelus.dev/two'])
      const left = await client.apply(configMaps, configMap(namespace, 'a'), { fieldManager: 'one' })
      expect(left.metadata.finalizers).toEqual(['caelus.dev/two'])
      await client.apply(configMaps, configMap(namespace, 'a'), { fieldManager: 'two' })
    })

    it('refuses a resourceVersion that is not the present one', async () => {
      const { client, namespace } = await fresh()
      const made = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }))
      const stale = configMap(
        namespace,
        'a',
        { x: '2' },
        { resourceVersion: String(Number(made.metadata.resourceVersion) - 1) },
      )
      expect(await refused(client.apply(configMaps, stale))).toMatchObject({ status: 409, reason: 'Conflict' })
    })

    it('gives replicas to whoever scales', async () => {
      const { client, transport, namespace } = await fresh()
      await client.apply(deployments, deployment(namespace, {}, 2), { fieldManager: 'one' })
      await transport.send({
        method: 'PATCH',
        path: `/apis/apps/v1/namespaces/${namespace}/deployments/web/scale`,
        query: { fieldManager: 'scaler' },
        contentType: 'application/merge-patch+json',
        body: { spec: { replicas: 5 } },
      })
      const seen = await client.get(deployments, { namespace, name: 'web' })
      expect(seen?.spec.replicas).toBe(5)
      expect(owners(seen).filter((owner) => !owner.startsWith('kube-controller-manager'))).toEqual([
        'one Apply',
        'scaler Update scale',
      ])
      const error = await refused(client.apply(deployments, deployment(namespace, {}, 2), { fieldManager: 'one' }))
      expect(error.conflicts).toEqual([{ field: '.spec.replicas', manager: 'scaler', subresource: 'scale' }])
    })

    it('leaves a scaled number alone when the applier no longer states it', async () => {
      const { client, namespace } = await fresh()
      await client.apply(deployments, deployment(namespace, {}, 2), { fieldManager: 'one' })
      await client.patch(
        deployments,
        { namespace, name: 'web' },
        { merge: { spec: { replicas: 4 } } },
        { fieldManager: 'scaler' },
      )
      const handed = await client.apply(deployments, deployment(namespace), { fieldManager: 'one' })
      expect(handed.spec.replicas).toBe(4)
    })
  })
}
