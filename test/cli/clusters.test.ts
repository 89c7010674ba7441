import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { servedGarden } from '../clusters/served-garden.ts'
import { placeApp, sayStatus } from '../clusters/placed-app.ts'
import { start } from './caelus.ts'
import { installation } from './installation.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/clusters/small.yaml')
const POOL = 'default=local:1-3'

interface Named {
  readonly id: string
  readonly name: string
}

test('a cluster is previewed, ordered, changed, explained and deleted', { timeout: 300_000 }, async () => {
  await using place = await installation({})
  // An operation takes longer than the 500 ms between two looks of --wait: its progress is seen.
  await using garden = await servedGarden(place.dir, { stepMs: 500 })
  // The server of the installation simulates Gardener; this one shares a garden with the worker.
  await using server = start(['api'], { ...place.env, ...garden.env, CAELUS_PORT: '0' })
  const [, url = ''] = await server.says(/"url":"(http:[^"]+)"/)
  const env = { ...place.env, ...garden.env, CAELUS_URL: url }
  await using worker = start(['run-cluster-worker'], { ...place.workerEnv, ...garden.env, HEALTH_PORT: '0' })
  await worker.says(/Worker started/)
  const tried = (...args: string[]) => start(args, env).ended
  const run = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await tried(...args)
    expect([code, err.includes('error:') ? err : '']).toEqual([0, ''])
    return out
  }
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await run(...args, '-o', 'json')) as T
  await run('create-organization', 'shop')

  expect(await run('list-regions', '--organization', 'shop')).toMatch(/REGION +ALLOWED\nlocal +yes/)
  const draft = ['--region', 'local', '--kubernetes-version', '1.34', '--node-pool', POOL]
  const dry = await run('create-cluster', 'prod', ...draft, '--dry-run')
  expect(dry).toMatch(/^prod would be accepted, as far as it could be checked\n/)
  expect(dry).toMatch(/NODE POOL +CHANGE +MACHINES.*\ndefault +added +1-3/)
  const refused = await tried('create-cluster', 'prod', '--region', 'mars', ...draft.slice(2), '--dry-run')
  expect(refused.code).toBe(1)
  expect(refused.out).toMatch(/^prod would be refused\n! region: .*supported: local/)
  expect(await json('list-clusters')).toEqual([])

  const { err: progress, code } = await tried('create-cluster', 'prod', ...draft, '--wait')
  expect([code, progress]).toEqual([0, expect.stringMatching(/shop\/prod: progressing, Create \d+ %: /)])
  expect(await run('list-clusters', '--organization', 'shop', '--status', 'ready')).toMatch(
    /^ID +ORGANIZATION +NAME .*\n\S+ +shop +prod +local +1\.34\.\d+ +1-3 +ready /,
  )
  const { id } = await json<Named>('get-cluster', 'prod')
  expect(await run('get-cluster', id, '--organization', 'shop')).toMatch(/APIServerAvailable +True/)
  expect(await run('explain-cluster', id)).toMatch(/action required +nobody/)
  await expect.poll(() => run('timeline-cluster', 'prod')).toContain('it was ordered')
  expect(await run('list-cluster-events', 'prod', '--limit', '1')).toMatch(/status_ready/)

  const grown = await run('update-node-pool', 'prod', 'default', '--max', '5', '--dry-run')
  expect(grown).toContain('maximum: 3 -> 5')
  expect(grown).toContain('uses 1 cluster and 3 nodes now; with this change, 1 cluster and 5 nodes')
  expect(
    await run('create-node-pool', 'prod', 'gpu', '--machine-type', 'local-gpu', '--min', '0', '--max', '2'),
  ).toMatch(/machine_type +local-gpu[\s\S]*generation +2/)
  expect(await run('delete-node-pool', 'prod', 'default')).toBe('removed default\n')
  expect(await run('list-node-pools', 'prod')).toMatch(/gpu +local-gpu +0 +2/)

  expect(await json('list-cluster-apps', 'prod')).toEqual([])
  const databaseUrl = place.env['DATABASE_URL'] ?? ''
  const [me] = await json<Named[]>('list-users')
  await placeApp(databaseUrl, { clusterId: id, userId: me?.id ?? '', name: 'hello-1' })
  expect(await run('list-cluster-apps', 'prod', '--organization', 'shop')).toMatch(
    /^NAME +OWNER +STATUS +SINCE\nhello-1 +\S+@\S+ +pending +20/,
  )
  expect((await tried('delete-cluster', 'prod')).err).toMatch(/ClusterInUse.*hello-1/)
  await sayStatus(databaseUrl, 'hello-1', 'deleted')
  expect(await json('list-cluster-apps', 'prod')).toEqual([])

  expect(await run('list-cluster-versions', 'prod')).toMatch(/^current version: 1\.34[\s\S]*1\.35\.\d+ +minor/)
  expect(await run('sync-cluster', 'prod')).toMatch(/name +prod/)
  expect(await run('operate-cluster', 'prod', 'reconcile')).toBe('asked Gardener for reconcile of prod\n')
  const slept = await json<{ status: string; hibernated: boolean }>('update-cluster', 'prod', '--hibernate', '--wait')
  expect(slept).toMatchObject({ status: 'ready', hibernated: true })
  await run('update-cluster', 'prod', '--wake-up', '--wait')

  const file = join(place.dir, 'prod.kubeconfig')
  await writeFile(file, 'readable by all', { mode: 0o644 })
  await run('get-kubeconfig', 'prod', '--file', file)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).toContain('current-context')

  expect(await run('set-organization-limits', 'shop', '--max-clusters', '1', '--regions', 'local')).toMatch(
    /max_clusters +1/,
  )
  expect(await json('set-organization-limits', 'shop', '--max-nodes', '9')).toMatchObject({
    max_clusters: 1,
    max_nodes: 9,
    regions: ['local'],
  })
  expect((await tried('create-cluster', '-f', EXAMPLE, '--organization', 'shop')).err).toContain('ClusterLimit')
  expect((await tried('get-cluster', 'prof')).err).toContain('did you mean "prod"?')
  expect((await tried('create-cluster', 'x', '--node-pool', 'local:1')).code).toBe(2)
  const empty = join(place.dir, 'empty.yaml')
  await writeFile(empty, '')
  expect((await tried('create-cluster', '-f', empty)).err).toContain('it must hold objects such as a cluster')

  expect(await run('delete-cluster', 'prod', '--wait')).toBe('deleted prod\n')
  expect((await tried('get-cluster', 'prod')).code).toBe(1)
  expect(await json('get-cluster', id)).toMatchObject({ id, status: 'deleted' })
  await run('create-cluster', '-f', EXAMPLE, '--organization', 'shop', '--wait')
})

test('a server that simulates Gardener beside a worker offers what there is, and says what it cannot see', async () => {
  await using place = await installation({})
  const { run, json, tried } = place
  await using worker = start(['run-cluster-worker'], { ...place.workerEnv, HEALTH_PORT: '0' })
  await worker.says(/Gardener is simulated: no clusters are made/)
  await run('create-organization', 'shop')
  expect(await run('list-regions')).toContain('Gardener is simulated')
  await run('create-cluster', '-f', EXAMPLE, '--wait')
  const [cluster] = await json<Named[]>('list-clusters')
  expect(cluster).toMatchObject({ name: 'small', status: 'ready' })
  expect((await tried('get-kubeconfig', 'small')).err).toMatch(/GardenerUnreachable: .*in the memory of the worker/)
  expect(await run('update-cluster', 'small', '--kubernetes-version', '1.35', '--dry-run')).toMatch(
    /! not checked: .*in the memory of the worker/,
  )
})

test('node pools are changed on the generation of the cluster that was read', async () => {
  const pool = { id: 'p1', name: 'default', machine_type: 'local', autoscale_min: 1, autoscale_max: 3 }
  const other = { ...pool, id: 'p2', name: 'gpu' }
  const cluster = { id: 'c1', organization_id: 'o1', name: 'prod', generation: 7, node_pools: [pool, other] }
  const sent: unknown[] = []
  const server = createServer((request, response) => {
    if (request.method !== 'GET') sent.push([request.method, request.headers['if-match']])
    const body = request.method === 'GET' ? { items: [cluster], next_cursor: null } : { ...pool, generation: 8 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const env = { CAELUS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, CAELUS_TOKEN: 'x' }
  const sizes = ['--machine-type', 'local', '--min', '1', '--max', '2']
  for (const args of [
    ['create-node-pool', 'prod', 'more', ...sizes],
    ['update-node-pool', 'prod', 'default', '--max', '5'],
    ['delete-node-pool', 'prod', 'gpu'],
  ]) {
    expect(await start(args, env).ended).toMatchObject({ code: 0 })
  }
  expect(sent).toEqual([
    ['POST', '"7"'],
    ['PATCH', '"7"'],
    ['DELETE', '"7"'],
  ])
})
