import { describe, expect, it } from 'vitest'
import type { WatchEvent } from '../../../src/kube/index.ts'
import { configMap, configMaps, type Fresh, story, watched, widget, widgets } from './world.ts'

const isDone = (count: number) => (events: readonly WatchEvent[]) => story(events).length >= count
const sawInitialEnd = (events: readonly WatchEvent[]): boolean => events.some(isInitialEnd)
const isInitialEnd = (event: WatchEvent): boolean =>
  event.type === 'BOOKMARK' && event.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'

const versionOf = (event: WatchEvent | undefined): string =>
  event === undefined || event.type === 'ERROR' ? '' : (event.object.metadata.resourceVersion ?? '')

export function exerciseWatch(fresh: Fresh): void {
  describe('watch', () => {
    it('tells what happened after a version, in order', async () => {
      const { client, namespace } = await fresh()
      const { resourceVersion } = await client.listPage(configMaps, { namespace, limit: 1, labels: 'app=x' })
      const labels = { labels: { app: 'x' } }
      await client.create(configMaps, configMap(namespace, 'a', undefined, labels))
      await client.patch(configMaps, { namespace, name: 'a' }, { merge: { data: { x: '1' } } })
      await client.create(configMaps, configMap(namespace, 'b', undefined, labels))
      await client.delete(configMaps, { namespace, name: 'a' })
      const events = await watched(client, configMaps, { namespace, labels: 'app=x', resourceVersion }, isDone(4))
      expect(story(events)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a'])
      const versions = events.map((event) => Number(versionOf(event)))
      expect(versions).toEqual(versions.toSorted((a, b) => a - b))
      expect(new Set(versions).size).toBe(4)
    })

    it('tells what happens while it is open', async () => {
      const { client, namespace } = await fresh()
      const { resourceVersion } = await client.listPage(configMaps, { namespace, limit: 1 })
      const watching = watched(client, configMaps, { namespace, resourceVersion, fields: 'metadata.name=a' }, isDone(2))
      await client.create(configMaps, configMap(namespace, 'a'))
      await client.delete(configMaps, { namespace, name: 'a' })
      expect(story(await watching)).toEqual(['ADDED a', 'DELETED a'])
    })

    it('begins with what there is when no version is named', async () => {
      const { client, namespace } = await fresh()
      await client.create(widgets, widget(namespace, 'a'))
      await client.create(widgets, widget(namespace, 'b'))
      expect(story(await watched(client, widgets, { namespace }, isDone(2))).toSorted()).toEqual(['ADDED a', 'ADDED b'])
    })

    it('sends initial events, then an annotated bookmark, then what happens', async () => {
      const { client, namespace } = await fresh()
      await client.create(widgets, widget(namespace, 'a'))
      await client.create(widgets, widget(namespace, 'b'))
      const events = await watched(client, widgets, { namespace, sendInitialEvents: true }, sawInitialEnd)
      expect(story(events).toSorted()).toEqual(['ADDED a', 'ADDED b'])
      expect(events.at(-1)?.type).toBe('BOOKMARK')
      const from = versionOf(events.at(-1))
      await client.delete(widgets, { namespace, name: 'a' })
      expect(story(await watched(client, widgets, { namespace, resourceVersion: from }, isDone(1)))).toEqual([
        'DELETED a',
      ])
    })

    it('an empty selection still gets its bookmark', async () => {
      const { client, namespace } = await fresh()
      const events = await watched(client, widgets, { namespace, sendInitialEvents: true }, sawInitialEnd)
      expect(events).toHaveLength(1)
    })

    it('shows an object entering and leaving the selection', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'a' }
      const made = await client.create(configMaps, configMap(namespace, 'a'))
      const label = (app: string | null) => client.patch(configMaps, at, { merge: { metadata: { labels: { app } } } })
      await label('x')
      const left = await label('y')
      await label('x')
      await label(null)
      const options = { namespace, labels: 'app=x', resourceVersion: made.metadata.resourceVersion ?? '' }
      const events = await watched(client, configMaps, options, isDone(4))
      expect(story(events)).toEqual(['ADDED a', 'DELETED a', 'ADDED a', 'DELETED a'])
      expect(versionOf(events[1])).toBe(left.metadata.resourceVersion)
      expect(events[1]?.object).toMatchObject({ metadata: { labels: { app: 'x' } } })
    })

    it('shows a deletion with a finalizer as a change first', async () => {
      const { client, namespace } = await fresh()
      const at = { namespace, name: 'a' }
      const made = await client.create(
        configMaps,
        configMap(namespace, 'a', undefined, { finalizers: ['caelus.dev/hold'] }),
      )
      await client.delete(configMaps, at)
      await client.patch(configMaps, at, { merge: { metadata: { finalizers: null } } })
      const options = { namespace, fields: 'metadata.name=a', resourceVersion: made.metadata.resourceVersion ?? '' }
      const events = await watched(client, configMaps, options, isDone(2))
      expect(story(events)).toEqual(['MODIFIED a', 'DELETED a'])
    })

    it('says nothing about a write that changed nothing', async () => {
      const { client, namespace } = await fresh()
      const made = await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }))
      await client.apply(configMaps, configMap(namespace, 'a', { x: '1' }))
      await client.apply(configMaps, configMap(namespace, 'b'))
      const options = {
        namespace,
        resourceVersion: made.metadata.resourceVersion ?? '',
        fields: 'metadata.name!=kube-root-ca.crt',
      }
      expect(story(await watched(client, configMaps, options, isDone(1)))).toEqual(['ADDED b'])
    })

    it('can be had with metadata alone', async () => {
      const { client, namespace } = await fresh()
      await client.create(widgets, widget(namespace, 'a', { size: 3 }))
      const [event] = await watched(client, widgets, { namespace, metadataOnly: true }, isDone(1))
      expect(event?.object).toMatchObject({ kind: 'Widget', metadata: { name: 'a' } })
      expect(event?.object).not.toHaveProperty('spec')
    })
  })
}
