import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { httpTransport, loadKubeConfig, makeClient, Namespace, Pod } from '../../src/kube/index.ts'
import type { Client, Draft } from '../../src/kube/index.ts'
import { controlPlaneDown, controlPlaneStatus, startControlPlane } from '../../tools/control-plane/index.ts'
import type { ControlPlane, ControlPlaneOptions } from '../../tools/control-plane/index.ts'
import { identify } from '../../tools/process/index.ts'
import { freshFolder } from './folder.ts'
import { runProgram } from './program.ts'

/** A test starts up to two control planes; on a busy machine each takes most of a minute. */
vi.setConfig({ testTimeout: 240_000 })

const start = async (options: Partial<ControlPlaneOptions> = {}): Promise<ControlPlane> => {
  const controlPlane = await startControlPlane({ dir: join(await freshFolder(), 'control-plane'), ...options })
  onTestFinished(() => controlPlane.stop())
  return controlPlane
}

const clientOf = async (kubeconfig: string): Promise<Client> => {
  const transport = httpTransport(await loadKubeConfig({ path: kubeconfig }))
  onTestFinished(() => transport.close())
  return makeClient(transport, { fieldManager: 'test' })
}

const pod = (name: string): Draft<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'registry.invalid/main:1' }] },
})

const namespace = (name: string): Draft<Namespace> => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

const phaseOf = async (client: Client, name: string) =>
  (await client.get(Pod, { namespace: 'default', name }))?.status?.phase

test('a second control plane shares no objects with the first, and keeps its own through crashes', async () => {
  const controlPlane = await start({ nodes: 'none' })
  const [first, second] = await Promise.all([clientOf(inject('kubeconfig')), clientOf(controlPlane.kubeconfig)])
  const name = `survivor-${process.pid}`
  await second.create(Namespace, namespace(name))
  expect(await first.get(Namespace, { name })).toBeUndefined()

  await controlPlane.killApiServer()
  await expect(second.get(Namespace, { name }, AbortSignal.timeout(1_000))).rejects.toThrow()
  await controlPlane.restartApiServer()
  expect(await second.get(Namespace, { name })).toBeDefined()
  await controlPlane.killEtcd()
  await controlPlane.restartEtcd()
  expect(await second.get(Namespace, { name })).toBeDefined()
})

test('a pod on a simulated node runs', async () => {
  const client = await clientOf(inject('kubeconfig'))
  const name = `runs-${process.pid}`
  await client.create(Pod, pod(name))
  await expect.poll(() => phaseOf(client, name), { timeout: 60_000 }).toBe('Running')
  await client.delete(Pod, { namespace: 'default', name })
})

test('requests without an identity are refused', async () => {
  const { server } = await loadKubeConfig({ path: inject('kubeconfig') })
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  onTestFinished(() => dispatcher.destroy())
  for (const path of ['/api/v1/namespaces', '/readyz', '/version']) {
    const response = await request(`${server}${path}`, { dispatcher })
    expect(response.statusCode).toBe(401)
    await response.body.dump()
  }
})

test('stopping leaves no process, and starting again finds the objects and runs pods at once', async () => {
  const first = await start()
  const client = await clientOf(first.kubeconfig)
  await client.create(Namespace, namespace('kept'))
  await first.stop()
  expect(Object.values(first.pids).map((pid) => identify(pid))).toEqual(Object.values(first.pids).map(() => undefined))
  await expect(stat(join(first.dir, 'state.json'))).rejects.toThrow('ENOENT')

  const second = await start({ dir: first.dir })
  expect(second.port).toBe(first.port)
  const again = await clientOf(second.kubeconfig)
  expect(await again.get(Namespace, { name: 'kept' })).toBeDefined()
  await again.create(Pod, pod('second-run'))
  await expect.poll(() => phaseOf(again, 'second-run'), { timeout: 60_000 }).toBe('Running')
})

test('when the owner is killed, nothing it started lives on', async () => {
  const dir = join(await freshFolder(), 'control-plane')
  const owner = await runProgram('own-parts', [dir])
  const pids = JSON.parse(owner.said) as number[]
  expect(pids).toHaveLength(5)
  expect(pids.filter((pid) => identify(pid) !== undefined)).toEqual(pids)
  await expect(controlPlaneDown({ dir })).rejects.toThrow(`it belongs to process ${owner.pid}, stop that instead`)
  await expect(startControlPlane({ dir })).rejects.toThrow(`process ${owner.pid} runs one there; stop it first`)
  await owner.kill()
  await expect.poll(() => pids.filter((pid) => identify(pid) !== undefined), { timeout: 60_000 }).toEqual([])
  expect(await controlPlaneStatus({ dir })).toMatchObject({ state: 'stopped' })
})

test('a component that dies at once is quoted in the error', async () => {
  const dir = join(await freshFolder(), 'control-plane')
  await mkdir(dir)
  await writeFile(join(dir, 'etcd'), 'a file where a directory should be')
  await expect(startControlPlane({ dir })).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/^etcd (exited with code|was ended by) [^]*not a directory/) },
  })
})
