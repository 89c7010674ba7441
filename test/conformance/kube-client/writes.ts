import { describe, expect, it } from 'vitest'
import {
  configMap,
  configMaps,
  deployment,
  deployments,
  type Fresh,
  owners,
  refused,
  secrets,
  widget,
  widgets,
} from './world.ts'

export function exerciseWrites(fresh: Fresh): void {
  describe('writes', () => {
    it('a created object has uid, version and time', async () => {
      const { client, namespace } = await fresh()
      const { metadata } = await client.create(configMaps, configMap(namespace, 'a'))
      expect(metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-/)
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(0)
      expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    })

    it('a second creation of the same name is refused', async () => {
      const { client, namespace } = await fresh()
      await client.create(configMaps, configMap(namespace, 'a'))
      expect(await refused(client.create(configMaps, configMap(namespace, 'a')))).toMatchObject({
        status: 409,
        reason: 'AlreadyExists',
      })
    })

    it('a creation in a namespace that does not exist is refused with its name', async () => {
      const { client } = await fresh()
      const error = await refused(client.create(configMaps, configMap('conformance-nowhere', 'a')))
      expect(error).toMatchObject({ status: 404, details: { name: 'conformance-nowhere', kind: 'namespaces' } })
    })

    it('a name that is no name is refused with its field', async () => {
      const { client, namespace } = await fresh()
      const error = await refused(client.create(configMaps, configMap(namespace, 'Not_A_Name')))
      expect(error).toMatchObject({ status: 422, reason: 'Invalid' })
      expect(error.details.causes?.[0]?.field).toBe('metadata.name')
    })

    it('generateName makes a name', async () => {
      const { transport, namespace } = await fresh()
      const { status, body } = await transport.send({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/configmaps`,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } },
      })
      expect(status).toBe(201)
      expect((body as { metadata: { name: string } }).metadata.name).toMatch(/^made-[a-z0-9]{5}$/)
    })

    it('an update of what was read replaces it', async () => {
      const { client, namespace } = await fresh()
      const made = await client.create(configMaps, configMap(namespace, 'a', { x: '1' }))
      const next = await client.replace(configMaps, { ...made, data: { y: '2' } })
      expect(next.data).toEqual({ y: '2' })
      expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion))
    })

    it('an update of an older version is refused', async () => {
      const { client, namespace } = await fresh()
      const made = await client.create(configMaps, configMap(namespace, 'a', { x: '1' }))
      await client.replace(configMaps, { ...made, data: { x: '2' } })
      expect(await refused(client.replace(configMaps, { ...made, data: { x: '3' } }))).toMatchObject({
        status: 409,
        reason: 'Conflict',
      })
    })

    it('an update that changes nothing keeps the version', async () => {
      const { client, namespace } = await fresh()
      const made = await client.create(configMaps, configMap(namespace, 'a', { x: '1' }))
      const same = await client.replace(configMaps, made)
      expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
    })

    it('an update of what does not exist is refused', async () => {
      const { client, namespace } = await fresh()
      const ghost = { ...configMap(namespace, 'ghost'), metadata: { name: 'ghost', namespace, resourceVersion: '1' } }
      expect(await refused(client.replace(configMaps, ghost))).toMatchObject({
        status: 404,
        reason: 'NotFound',
        details: { name: 'ghost' },
      })
    })

    it('an ordinary write is recorded as an update by its manager', async () => {
      const { client, namespace } = await fresh()
      const made = await client.create(configMaps, configMap(namespace, 'a', { x: '1' }), { fieldManager: 'hand' })
      expect(owners(made)).toEqual(['hand Update'])
    })

    it('a merge patch merges and removes', async () => {
      const { client, namespace } = await fresh()
      await client.create(configMaps, configMap(namespace, 'a', { x: '1', y: '2' }))
      const next = await client.patch(configMaps, { namespace, name: 'a' }, { merge: { data: { x: null, z: '3' } } })
      expect(next.data).toEqual({ y: '2', z: '3' })
    })

    it('a merge patch with an older version is refused', async () => {
      const { client, namespace } = await fresh()
      const made = await client.create(configMaps, configMap(namespace, 'a', { x: '1' }))
      await client.replace(configMaps, { ...made, data: { x: '2' } })
      const stale = { merge: { metadata: { resourceVersion: made.metadata.resourceVersion }, data: { x: '3' } } }
      expect(await refused(client.patch(configMaps, { namespace, name: 'a' }, stale))).toMatchObject({
        status: 409,
        reason: 'Conflict',
      })
    })

    it('an update that names another uid is refused, and so is a patch', async () => {
      const { client, namespace } = await fresh()
      const other = '00000000-0000-4000-8000-000000000000'
      const made = await client.create(configMaps, configMap(namespace, 'a', { x: '1' }))
      const namesake = { ...made, metadata: { ...made.metadata, uid: other }, data: { x: '2' } }
      expect(await refused(client.replace(configMaps, namesake))).toMatchObject({ status: 409, reason: 'Conflict' })
      const patch = { merge: { metadata: { uid: other }, data: { x: '2' } } }
      expect(await refused(client.patch(configMaps, { namespace, name: 'a' }, patch))).toMatchObject({ status: 422 })
      const applied = configMap(namespace, 'a', { x: '1' }, { uid: other })
      expect(await refused(client.apply(configMaps, applied))).toMatchObject({ status: 422 })
      expect(await refused(client.apply(configMaps, configMap(namespace, 'b', {}, { uid: other })))).toMatchObject({
        status: 409,
      })
    })

    it('a json patch is done in order', async () => {
      const { client, namespace } = await fresh()
      await client.create(configMaps, configMap(namespace, 'a', { x: '1' }))
      const json = [
        { op: 'test', path: '/data/x', value: '1' },
        { op: 'move', from: '/data/x', path: '/data/y' },
        { op: 'add', path: '/metadata/labels', value: {} },
        { op: 'add', path: '/metadata/labels/caelus.dev~1part', value: '2' },
      ] as const
      const next = await client.patch(configMaps, { namespace, name: 'a' }, { json })
      expect(next.data).toEqual({ y: '1' })
      expect(next.metadata.labels).toEqual({ 'caelus.dev/part': '2' })
    })

    it('a json patch whose test fails changes nothing and is 422', async () => {
      const { client, namespace } = await fresh()
      const made = await client.create(configMaps, configMap(namespace, 'a', { x: '1' }))
      const json = [
        { op: 'replace', path: '/data/x', value: '2' },
        { op: 'test', path: '/data/x', value: '1' },
      ] as const
      expect(await refused(client.patch(configMaps, { namespace, name: 'a' }, { json }))).toMatchObject({
        status: 422,
        reason: 'Invalid',
      })
      expect((await client.get(configMaps, { namespace, name: 'a' }))?.metadata.resourceVersion).toBe(
        made.metadata.resourceVersion,
      )
    })

    it('a strategic patch merges containers by name, a merge patch replaces them', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'web' }
      await client.create(deployments, deployment(namespace, { args: ['a'] }))
      const containers = [{ name: 'web', image: 'example.invalid/web:2' }]
      const strategic = await client.patch(deployments, at, {
        strategic: { spec: { template: { spec: { containers } } } },
      })
      expect(strategic.spec.template.spec.containers[0]).toMatchObject({ image: 'example.invalid/web:2', args: ['a'] })
      const merged = await client.patch(deployments, at, { merge: { spec: { template: { spec: { containers } } } } })
      expect(merged.spec.template.spec.containers[0]?.args).toBeUndefined()
    })

    it('a custom resource has no strategic patch', async () => {
      const { client, namespace } = await fresh()
      await client.create(widgets, widget(namespace, 'w'))
      expect(
        await refused(client.patch(widgets, { namespace, name: 'w' }, { strategic: { spec: { size: 2 } } })),
      ).toMatchObject({ status: 415 })
    })

    it('a dry run answers as if, and writes nothing', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'a' }
      const imagined = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }), { dryRun: true })
      expect(imagined.data).toEqual({ x: '1' })
      expect(await client.get(configMaps, at)).toBeUndefined()
      const made = await client.create(configMaps, configMap(namespace, 'a', { x: '1' }))
      await client.patch(configMaps, at, { merge: { data: { x: '2' } } }, { dryRun: true })
      await client.delete(configMaps, at, { dryRun: true })
      expect((await client.get(configMaps, at))?.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
    })

    it('a dry run of a deletion is asked for in its body; beside a body the query is not read', async () => {
      const { client, transport, namespace } = await fresh()
      const at = { namespace, name: 'a' }
      await client.create(configMaps, configMap(namespace, 'a'))
      const path = `/api/v1/namespaces/${namespace}/configmaps/a`
      const body = { apiVersion: 'v1', kind: 'DeleteOptions' }
      await transport.send({ method: 'DELETE', path, body: { ...body, dryRun: ['All'] } })
      await transport.send({ method: 'DELETE', path, query: { dryRun: 'All' } })
      expect(await client.get(configMaps, at)).toBeDefined()
      await transport.send({ method: 'DELETE', path, query: { dryRun: 'All' }, body })
      expect(await client.get(configMaps, at)).toBeUndefined()
    })

    it('stringData of a secret becomes data', async () => {
      const { client, namespace } = await fresh()
      const draft = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's', namespace },
        stringData: { word: 'open' },
      }
      expect((await client.create(secrets, draft)).data).toEqual({ word: 'b3Blbg==' })
    })
  })

  describe('custom resources', () => {
    it('defaults are filled in and unknown fields dropped', async () => {
      const { client, namespace } = await fresh()
      const made = await client.create(widgets, widget(namespace, 'w', { size: 1, unheard: true } as never))
      expect(made.spec).toEqual({ size: 1, colour: 'blue' })
    })

    it('what the schema forbids is refused with the field', async () => {
      const { client, namespace } = await fresh()
      const error = await refused(client.create(widgets, widget(namespace, 'w', { size: 0, colour: 'green' })))
      expect(error).toMatchObject({ status: 422, reason: 'Invalid' })
      expect(error.details.causes?.map(({ field }) => field).toSorted()).toEqual(['spec.colour', 'spec.size'])
    })

    it('an update must say which version it read', async () => {
      const { client, transport, namespace } = await fresh()
      await client.create(widgets, widget(namespace, 'w'))
      const path = `/apis/conformance.caelus.dev/v1/namespaces/${namespace}/widgets/w`
      const { status } = await transport.send({ method: 'PUT', path, body: widget(namespace, 'w', { size: 2 }) })
      expect(status).toBe(422)
    })
  })

  describe('status and generation', () => {
    it('the status of a new object is not taken from its creator', async () => {
      const { client, namespace } = await fresh()
      const made = await client.create(widgets, { ...widget(namespace, 'w'), status: { phase: 'Ready' } } as never)
      expect(made.status).toBeUndefined()
    })

    it('the main endpoint does not change status, the status endpoint nothing else', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'w' }
      await client.create(widgets, widget(namespace, 'w', { size: 1 }))
      await client.patchStatus(widgets, at, {
        merge: { spec: { size: 5 }, metadata: { labels: { a: 'b' } }, status: { phase: 'Ready' } },
      })
      await client.patch(widgets, at, { merge: { status: { phase: 'Lost' } } })
      const seen = await client.get(widgets, at)
      expect(seen).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready' } })
      expect(seen?.metadata.labels).toBeUndefined()
    })

    it('generation counts changes of the spec only', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'w' }
      expect((await client.create(widgets, widget(namespace, 'w', { size: 1 }))).metadata.generation).toBe(1)
      await client.patchStatus(widgets, at, { merge: { status: { phase: 'Ready' } } })
      await client.patch(widgets, at, { merge: { metadata: { labels: { a: 'b' } } } })
      expect((await client.get(widgets, at))?.metadata.generation).toBe(1)
      await client.patch(widgets, at, { merge: { spec: { size: 2 } } })
      expect((await client.get(widgets, at))?.metadata.generation).toBe(2)
    })

    it('a config map has no generation', async () => {
      const { client, namespace } = await fresh()
      expect((await client.create(configMaps, configMap(namespace, 'a'))).metadata.generation).toBeUndefined()
    })

    it('applied status belongs to the status endpoint of its manager, condition by condition', async () => {
      const { client, namespace } = await fresh()
      await client.create(widgets, widget(namespace, 'w'))
      const metadata = { name: 'w', namespace }
      const condition = (type: string) => ({ conditions: [{ type, status: 'True' }] })
      await client.applyStatus(widgets, { metadata, status: condition('Ready') }, { fieldManager: 'one' })
      const both = await client.applyStatus(widgets, { metadata, status: condition('Synced') }, { fieldManager: 'two' })
      expect(both.status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Synced'])
      expect(owners(both)).toContain('one Apply status')
      const again = await client.applyStatus(
        widgets,
        { metadata, status: condition('Synced') },
        { fieldManager: 'two' },
      )
      expect(again.metadata.resourceVersion).toBe(both.metadata.resourceVersion)
    })

    it('the same manager owns its spec and its status apart', async () => {
      const { client, namespace } = await fresh()
      await client.apply(widgets, widget(namespace, 'w', { size: 1 }))
      await client.applyStatus(widgets, { metadata: { name: 'w', namespace }, status: { phase: 'Ready' } })
      const next = await client.apply(widgets, widget(namespace, 'w', { size: 2 }))
      expect(next.status?.phase).toBe('Ready')
    })

    it('the status endpoint holds a patch to the version it names, but not to the uid', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'w' }
      const made = await client.create(widgets, widget(namespace, 'w', { size: 1 }))
      await client.patch(widgets, at, { merge: { spec: { size: 2 } } })
      const { resourceVersion } = made.metadata
      const stale = { merge: { metadata: { resourceVersion }, status: { phase: 'Ready' } } }
      expect(await refused(client.patchStatus(widgets, at, stale))).toMatchObject({ status: 409, reason: 'Conflict' })
      const namesake = {
        merge: { metadata: { uid: '00000000-0000-4000-8000-000000000000' }, status: { phase: 'Ready' } },
      }
      expect((await client.patchStatus(widgets, at, namesake)).status?.phase).toBe('Ready')
    })

    it('status of what does not exist is refused', async () => {
      const { client, namespace } = await fresh()
      const lost = { metadata: { name: 'ghost', namespace }, status: { phase: 'Ready' } }
      expect(await refused(client.applyStatus(widgets, lost))).toMatchObject({ status: 404 })
    })
  })
}
