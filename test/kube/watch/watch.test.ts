import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  ConfigMap,
  httpTransport,
  loadKubeConfig,
  makeClient,
  Namespace,
  type KubeObject,
  type WatchSource,
} from '../../../src/kube/index.ts'
import { startControlPlane } from '../../../tools/control-plane/index.ts'
import { freshNamespace, seen, testClient, testConfig } from '../../support/kube.ts'
import { proxyTo } from './proxy.ts'
import { configMap, seenCache, showing } from './seen.ts'

test('a connection that dies silently is replaced, and no event is missed', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const config = await testConfig()
  await using proxy = await proxyTo(Number(new URL(config.server).port))
  const transport = httpTransport({ ...config, server: `https://127.0.0.1:${proxy.port}` })
  await using watched = seenCache(makeClient(transport, { fieldManager: 'test' }), namespace.name, {
    timings: { idleMs: 5_000 },
  })
  const { cached, heard } = watched
  await client.create(ConfigMap, configMap(namespace.name, 'doomed'))
  await cached.start()

  proxy.swallow()
  await client.create(ConfigMap, configMap(namespace.name, 'unheard'))
  await client.delete(ConfigMap, { namespace: namespace.name, name: 'doomed' })
  const has = (name: string): boolean => cached.get({ namespace: namespace.name, name }) !== undefined
  await showing(cached, 'what happened meanwhile', () => has('unheard') && !has('doomed'))
  expect(heard.slice(0, 3)).toEqual(['watch:connected', 'watch:idle', 'watch:reconnected idle'])
  await cached.stop()
  await transport.close()
})

/** Comes back with a version that no server has in its history. */
const forgotten = (client: WatchSource): WatchSource => ({
  listPage: (...args) => client.listPage(...args),
  watchEvents: (resource, options, signal) =>
    client.watchEvents(resource, options.sendInitialEvents ? options : { ...options, resourceVersion: '1' }, signal),
})

const versionsIn = (objects: readonly KubeObject[]): Set<unknown> =>
  new Set(objects.map(({ metadata }) => metadata.resourceVersion))

test('caches outlive the death of the API server and miss nothing, with their history or without', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-watch-'))
  const controlPlane = await startControlPlane({ dir, nodes: 'none' })
  const transport = httpTransport(await loadKubeConfig({ path: controlPlane.kubeconfig }))
  const client = makeClient(transport, { fieldManager: 'test' })
  const both = [seenCache(client, 'outage'), seenCache(forgotten(client), 'outage')]
  try {
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'outage' } })
    await seen(client, ConfigMap, { namespace: 'outage', name: 'kube-root-ca.crt' }, () => true)
    for (const name of ['kept', 'doomed', 'reborn']) await client.create(ConfigMap, configMap('outage', name))
    for (const { cached } of both) await cached.start()

    const refused = both.map(
      ({ say }) =>
        new Promise((resolve) => say.on('watch:error', ({ failures }) => failures === 2 && resolve(failures))),
    )
    await controlPlane.killApiServer()
    await Promise.all(refused)
    await controlPlane.restartApiServer()
    await client.delete(ConfigMap, { namespace: 'outage', name: 'doomed' })
    await client.delete(ConfigMap, { namespace: 'outage', name: 'reborn' })
    await client.create(ConfigMap, configMap('outage', 'reborn', 'again'))
    await client.create(ConfigMap, configMap('outage', 'new'))

    const truth = versionsIn(await client.list(ConfigMap, { namespace: 'outage' }))
    for (const { cached } of both)
      await showing(
        cached,
        'what the server has',
        () => truth.symmetricDifference(versionsIn(cached.list())).size === 0,
      )
    expect(both[0]?.heard).toContain('watch:reconnected failure')
    expect(both[1]?.heard).toContain('watch:relisted expired')
  } finally {
    for (const { cached } of both) await cached.stop()
    await transport.close()
    await controlPlane.stop()
    await rm(dir, { recursive: true, force: true })
  }
})
