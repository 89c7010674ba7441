import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { installCrd, kubeconfigAs } from '../../src/kube/index.ts'
import { freePort } from '../../tools/process/index.ts'
import { caelus, start } from '../cli/caelus.ts'
import { proxyTo } from '../kube/watch/proxy.ts'
import { testClient, testConfig } from '../support/kube.ts'
import { freshDatabase } from '../support/postgres.ts'

/** Nothing listens on this port: connections are refused at once. */
const UNREACHABLE = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'u', user: { token: 'x' } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
})

async function ownDatabase(): Promise<string> {
  const database = await freshDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  return database.url
}

/** The environment of a process with this kubeconfig, and a database of its own unless `more` has one. */
async function environmentWith(kubeconfig: string, more: Record<string, string> = {}): Promise<Record<string, string>> {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-stop-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, 'kubeconfig'), kubeconfig)
  return {
    DATABASE_URL: more['DATABASE_URL'] ?? (await ownDatabase()),
    CAELUS_KUBECONFIG: join(dir, 'kubeconfig'),
    CAELUS_DATA_DIR: dir,
    CAELUS_PORT: '0',
    CAELUS_LOG_FORMAT: 'json',
    CAELUS_SHUTDOWN_GRACE: '5s',
    GARDENER_MODE: 'real',
    GARDENER_KUBECONFIG: join(dir, 'kubeconfig'),
    HEALTH_PORT: more['CAELUS_PORT'] ?? '0',
    SHUTDOWN_TIMEOUT: '5s',
    ...more,
  }
}

test.each(['run-worker-loop', 'run-cluster-worker', 'run-controllers', 'api'])(
  '%s says that its control plane is unreachable, and obeys SIGTERM',
  async (command) => {
    const running = start([command], await environmentWith(UNREACHABLE))
    onTestFinished(() => void running.child.kill('SIGKILL'))
    await running.says(/ECONNREFUSED/)
    running.child.kill('SIGTERM')
    const { code, err } = await running.ended
    expect(err).toContain('"msg":"Stopping"')
    expect(err).not.toContain('did not stop in time')
    expect(code).toBe(0)
  },
)

/** A database that accepts connections and never answers. `reached` resolves at the first connection. */
async function silentDatabase(): Promise<{ readonly url: string; readonly reached: Promise<unknown> }> {
  const server = createServer()
  const reached = once(server, 'connection')
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { url: `postgres://joe:secret@127.0.0.1:${(server.address() as AddressInfo).port}/caelus`, reached }
}

test.each(['up', 'run-worker-loop', 'run-cluster-worker', 'api'])(
  '%s obeys SIGTERM while its database is silent',
  async (command) => {
    const { url, reached } = await silentDatabase()
    const running = start([command], await environmentWith(UNREACHABLE, { DATABASE_URL: url }))
    onTestFinished(() => void running.child.kill('SIGKILL'))
    await reached
    if (command === 'up') await running.says(/Waiting for a service to start: migrations of the database/)
    running.child.kill('SIGTERM')
    const { code, err } = await running.ended
    expect(err).toMatch(/stopping/i)
    expect(err).not.toContain('did not stop in time')
    expect(code).toBe(0)
  },
)

test.each(['run-worker-loop', 'run-cluster-worker', 'run-controllers', 'api'])(
  '%s obeys SIGTERM within its grace when database and control plane fall silent without closing',
  async (command) => {
    const { server } = await testConfig()
    const control = await proxyTo(Number(new URL(server).port))
    onTestFinished(() => control[Symbol.asyncDispose]())
    const kubeconfig = (await readFile(inject('kubeconfig'), 'utf8')).replaceAll(
      new URL(server).host,
      `127.0.0.1:${control.port}`,
    )
    await using client = await testClient()
    await installCrd(client, ClassRuntime)
    const env = await environmentWith(kubeconfig)
    const database = await proxyTo(Number(new URL(env['DATABASE_URL']!).port))
    onTestFinished(() => database[Symbol.asyncDispose]())
    const url = Object.assign(new URL(env['DATABASE_URL']!), { host: `127.0.0.1:${database.port}` })
    const running = start([command], { ...env, DATABASE_URL: url.href })
    onTestFinished(() => void running.child.kill('SIGKILL'))
    await running.says(/"msg":"(Worker|Controllers|API) started"/)
    control.swallowAll()
    database.swallowAll()
    await running.says(/"msg":"(Kubernetes API server does not answer|Queue unreachable)"/)
    running.child.kill('SIGTERM')
    const { code, err } = await running.ended
    expect(err).not.toContain('did not stop in time')
    expect(code).toBe(0)
  },
)

test.each(['run-worker-loop', 'run-cluster-worker', 'api'])(
  '%s that is up before its database waits for it, alive and not ready',
  async (command) => {
    const env = await environmentWith(await readFile(inject('kubeconfig'), 'utf8'))
    const database = await proxyTo(Number(new URL(env['DATABASE_URL']!).port))
    onTestFinished(() => database[Symbol.asyncDispose]())
    database.refuse(true)
    const url = Object.assign(new URL(env['DATABASE_URL']!), { host: `127.0.0.1:${database.port}` })
    const CAELUS_PORT = String(await freePort())
    const running = start([command], { ...env, DATABASE_URL: url.href, CAELUS_PORT, HEALTH_PORT: CAELUS_PORT })
    onTestFinished(() => void running.child.kill('SIGKILL'))
    await running.says(/"msg":"Database not reached"/)
    await running.says(/"service":"database",.*"msg":"Waiting for a service to start"/)
    const probe = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${CAELUS_PORT}${path}`)).status
    expect([await probe('/healthz'), await probe('/readyz')]).toEqual([200, 503])
    database.refuse(false)
    await running.says(/"msg":"(Worker|API) started"/)
    await expect.poll(() => probe('/readyz')).toBe(200)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  },
)

test.each(['run-worker-loop', 'run-cluster-worker', 'api'])(
  '%s ends when the database refuses its login',
  async (command) => {
    const env = await environmentWith(UNREACHABLE)
    const url = Object.assign(new URL(env['DATABASE_URL']!), { username: 'stranger' })
    const { code, err } = await caelus([command], { ...env, DATABASE_URL: url.href })
    expect(code).toBe(1)
    expect(err).toMatch(/stranger/)
  },
)

test('a worker logs which rule is missing when it may not watch or create something', async () => {
  const powerless = await kubeconfigAs(inject('kubeconfig'), { user: 'powerless' })
  const running = start(['run-worker-loop'], await environmentWith(powerless))
  onTestFinished(() => void running.child.kill('SIGKILL'))
  await running.says(/namespaces is forbidden: User \\"powerless\\" cannot create resource/)
  await running.says(/"msg":"Waiting for a service to start"/)
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
})

test('a process whose port is taken ends with exit code 1', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const CAELUS_PORT = String((other.address() as AddressInfo).port)
  const { code, err } = await caelus(['run-worker-loop'], await environmentWith(UNREACHABLE, { CAELUS_PORT }))
  expect(code).toBe(1)
  expect(err).toContain('failed to listen')
})
