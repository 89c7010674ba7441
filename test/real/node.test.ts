import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  httpTransport,
  Job,
  loadKubeConfig,
  makeClient,
  Pod,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
} from '../../src/kube/index.ts'
import type { Client, HttpTransport } from '../../src/kube/index.ts'
import { startControlPlane } from '../../tools/control-plane/index.ts'
import type { ControlPlane } from '../../tools/control-plane/index.ts'
import { canRunNode, cgroupOf, NODE_IMAGES } from '../../tools/node/index.ts'

const dir = await mkdtemp(join(tmpdir(), 'caelus-node-'))
const verdict = await canRunNode(dir)
afterAll(() => rm(dir, { recursive: true, force: true }))

const namespace = 'default'
const at = (name: string) => ({ namespace, name })

if (!verdict.ok) {
  test('a machine on which pods cannot run is told why', async () => {
    await expect(startControlPlane({ dir: join(dir, 'control-plane'), nodes: 'real' })).rejects.toMatchObject({
      cause: { message: expect.stringContaining(verdict.because) },
    })
  })
} else {
  describe('a real node', () => {
    let controlPlane: ControlPlane
    let client: Client
    let transport: HttpTransport
    let before: Traces

    beforeAll(async () => {
      before = await tracesOf(dir)
      controlPlane = await startControlPlane({ dir: join(dir, 'control-plane'), nodes: 'real' })
      process.stdout.write(`control plane with a real node: ready after ${controlPlane.readyAfterMs} ms\n`)
      transport = httpTransport(await loadKubeConfig({ path: controlPlane.kubeconfig }))
      client = makeClient(transport, { fieldManager: 'test' })
    })
    afterAll(async () => {
      await transport.close()
      await controlPlane.stop()
    })

    test('runs a pod, lets its log be read, and leads to its page, directly and by way of a service', async () => {
      const page = 'set in its first container'
      await client.create(Pod, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...at('web'), labels: { app: 'web' } },
        spec: {
          initContainers: [
            {
              name: 'write',
              image: NODE_IMAGES.busybox,
              command: ['sh', '-c', `echo "${page}" > /page/index.html; echo written`],
              volumeMounts: [{ name: 'page', mountPath: '/page' }],
            },
          ],
          containers: [
            {
              name: 'nginx',
              image: NODE_IMAGES.nginx,
              readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
              volumeMounts: [{ name: 'page', mountPath: '/usr/share/nginx/html', readOnly: true }],
            },
          ],
          volumes: [{ name: 'page', emptyDir: {} }],
        },
      })
      const status = async () => (await client.get(Pod, at('web')))?.status
      await expect
        .poll(async () => (await status())?.conditions?.find(({ type }) => type === 'Ready')?.status, {
          timeout: 60_000,
        })
        .toBe('True')
      expect(await client.podLog(at('web'), { container: 'write' })).toBe('written\n')

      const { spec } = await client.create(Service, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: at('web'),
        spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
      })
      const { podIP = '' } = (await status()) ?? {}
      await expect.poll(() => pageAt(podIP, 8080).catch(String), { timeout: 30_000 }).toBe(`${page}\n`)
      await expect.poll(() => pageAt(spec?.clusterIP ?? '', 80).catch(String), { timeout: 30_000 }).toBe(`${page}\n`)
    })

    /** Never asked for from this machine's own network, where such an address may mean somebody else. */
    const pageAt = async (host: string, port: number): Promise<string> => {
      const forward = await controlPlane.forward(host, port)
      try {
        const response = await request(`http://127.0.0.1:${forward.port}/`, { headersTimeout: 3_000 })
        return await response.body.text()
      } finally {
        await forward.close()
      }
    }

    test('a Job talks to the API server with the rights of its own account, and no others', async () => {
      const group = 'rbac.authorization.k8s.io'
      await client.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: at('reader') })
      await client.create(Role, {
        apiVersion: `${group}/v1`,
        kind: 'Role',
        metadata: at('reader'),
        rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
      })
      await client.create(RoleBinding, {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata: at('reader'),
        roleRef: { apiGroup: group, kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
      })
      const script = 'kubectl get configmap kube-root-ca.crt -o name && ! kubectl get secrets 2>&1'
      await client.create(Job, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: at('read'),
        spec: {
          backoffLimit: 0,
          template: {
            metadata: { labels: { app: 'read' } },
            spec: {
              serviceAccountName: 'reader',
              restartPolicy: 'Never',
              containers: [{ name: 'kubectl', image: NODE_IMAGES.kubectl, command: ['sh', '-c', script] }],
            },
          },
        },
      })
      await expect
        .poll(
          async () =>
            (await client.get(Job, at('read')))?.status?.conditions?.find(({ status }) => status === 'True')?.type,
          { timeout: 60_000 },
        )
        .toMatch(/^(SuccessCriteriaMet|Complete)$/)
      const [pod] = await client.list(Pod, { namespace, labels: 'app=read' })
      const log = await client.podLog(at(pod?.metadata.name ?? ''))
      expect(log).toContain('configmap/kube-root-ca.crt')
      expect(log).toContain('User "system:serviceaccount:default:reader" cannot list resource "secrets"')
    })

    test('is a world of its own', async () => {
      expect((await controlPlane.exec('hostname')).trim()).toBe('node-1')
      expect(await controlPlane.exec('ip', '-brief', 'address')).not.toMatch(/^eth/m)
    })

    test('leaves nothing on the machine', async () => {
      const { processes, groups } = await tracesOf(dir)
      expect(processes.length).toBeGreaterThan(5)
      expect(groups).not.toEqual([])
      await controlPlane.stop()
      expect(await tracesOf(dir)).toEqual(before)
      expect(await readdir(controlPlane.dir)).not.toContain('node')
    })
  })
}

interface Traces {
  readonly processes: readonly string[]
  readonly mounts: readonly string[]
  readonly groups: readonly string[]
  readonly networks: number
}

/** What the machine shows of things that were started below `folder`. */
async function tracesOf(folder: string): Promise<Traces> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
  const commands = await Promise.all(pids.map((pid) => read(`/proc/${pid}/cmdline`)))
  const mounts = await read('/proc/self/mountinfo')
  const trees = await readdir('/sys/fs/cgroup', { withFileTypes: true })
  const groups = await Promise.all(
    trees.filter((tree) => tree.isDirectory()).map((tree) => readdir(`/sys/fs/cgroup/${tree.name}`)),
  )
  const devices = await read('/proc/net/dev')
  return {
    processes: commands.filter((command) => command.includes(folder)),
    mounts: mounts.split('\n').filter((line) => line.includes(folder)),
    // Another checkout may run a node at the same time.
    groups: groups.flat().filter((name) => name === cgroupOf(join(folder, 'control-plane', 'node'))),
    networks: devices.split('\n').length,
  }
}
