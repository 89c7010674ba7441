import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { stringify } from 'yaml'
import { emptyDatabase } from '../support/postgres.ts'
import { fn, RuntimesWorld } from '../runtimes/world.ts'
import { caelus, start, type Ended, type Running } from './caelus.ts'

const PACKAGE = join(import.meta.dirname, '../../examples/runtimes/shop.opackage.yaml')

interface Place extends AsyncDisposable {
  readonly dir: string
  readonly namespace: string
  readonly env: Record<string, string>
  readonly run: (...args: string[]) => Promise<Ended>
  readonly json: <T>(...args: string[]) => Promise<T>
  readonly controllers: () => Running
}

/** An installation with a server and a namespace of its own, and nobody who controls it yet. */
async function installation(): Promise<Place> {
  const [database, cluster, dir] = await Promise.all([
    emptyDatabase(),
    RuntimesWorld.make(),
    mkdtemp(join(tmpdir(), 'caelus-cli-runtimes-')),
  ])
  const own = {
    DATABASE_URL: database.url,
    CAELUS_PORT: '0',
    CAELUS_LOG_FORMAT: 'json',
    CAELUS_DATA_DIR: dir,
    CAELUS_KUBECONFIG: inject('kubeconfig'),
    CAELUS_RUNTIMES_NAMESPACE: cluster.namespace,
    CAELUS_RUNTIMES_LEASE_NAMESPACE: cluster.namespace,
  }
  await caelus(['migrate'], own)
  const token = (await caelus(['create-admin', 'ada@example.test'], own)).out.trim()
  const server = start(['api'], own)
  const [, url = ''] = await server.says(/"url":"(http:[^"]+)"/)
  const env = { ...own, CAELUS_URL: url, CAELUS_TOKEN: token }
  const run = (...args: string[]): Promise<Ended> => caelus(args, env)
  return {
    dir,
    namespace: cluster.namespace,
    env,
    run,
    controllers: () => start(['run-controllers', '--concurrency', '4'], own),
    async json<T>(...args: string[]): Promise<T> {
      const { code, out, err } = await run(...args, '-o', 'json')
      if (code !== 0) throw new Error(`caelus ${args.join(' ')} ended with ${code}: ${err}`)
      return JSON.parse(out) as T
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const manifest = (namespace: string, functions: object[]): string =>
  stringify({
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: { name: 'cart', namespace },
    spec: { selected_template: 'k8s_deployment', addons: [], functions },
  })

test('a runtime is applied, converged, explained, changed and deleted', { timeout: 240_000 }, async () => {
  await using place = await installation()
  const { run, json, namespace } = place
  const file = join(place.dir, 'cart.yaml')
  const id = `${namespace}/cart`
  await writeFile(file, manifest(namespace, [fn('add'), fn('pay')]))

  const dry = await run('apply-runtime', '-f', file, '--dry-run')
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining(`${id} would be created`) })
  expect(dry.out).toContain('+ Deployment/cart--add')
  expect(await json('list-runtimes', '-n', namespace)).toEqual([])

  await using controllers = place.controllers()
  const applied = await run('apply-runtime', '-f', file, '--wait')
  expect(applied).toMatchObject({ code: 0, out: `${id} applied, generation 1\n` })
  expect((await run('list-runtimes', '-n', namespace)).out).toMatch(
    /^NAMESPACE +NAME +PHASE +FUNCTIONS .*\n\S+ +cart +available +2\/2 +k8s_deployment /,
  )
  expect((await run('get-runtime', 'cart', '-n', namespace)).out).toMatch(/Deployment\/cart--add +ready/)
  expect((await run('explain-runtime', id)).out).toMatch(/^why +it is available[\s\S]*whose move +nobody/)
  const events = await json<{ what: string; source: string }[]>('timeline', id)
  expect(events.map(({ source, what }) => `${source} ${what}`)).toEqual(
    expect.arrayContaining(['audit created', 'decision apply', 'phase available']),
  )

  await writeFile(file, manifest(namespace, [fn('add')]))
  expect((await run('apply-runtime', '-f', file, '--dry-run')).out).toContain('- Deployment/cart--pay')
  expect((await run('apply-runtime', '-f', file, '--wait')).out).toBe(`${id} applied, generation 2\n`)

  const [, probes = ''] = await controllers.says(/"probes":"(http:[^"]+)"/)
  expect(await (await fetch(`${probes}/readyz`)).json()).toMatchObject({ status: 'ok' })
  const metrics = await (await fetch(`${probes}/metrics`)).text()
  expect(metrics).toMatch(/crm_phase_transitions_total\{from="[a-z]*",to="available"\} [1-9]/)
  expect(metrics).toMatch(/crm_conditions\{type="Available",status="True"\} 1/)

  const deleted = await run('delete-runtime', id)
  expect(deleted).toMatchObject({ code: 0, out: `deleted ${id}\n` })
  expect(await run('get-runtime', id)).toMatchObject({ code: 1, err: expect.stringContaining('NotFound') })
  controllers.child.kill('SIGTERM')
  expect(await controllers.ended).toMatchObject({ code: 0 })
})

test('a package is applied, and what is wrong with input is told', { timeout: 120_000 }, async () => {
  await using place = await installation()
  const { run, json, namespace } = place
  const dry = await run('apply-package', '-f', PACKAGE, '--env', 'cloud', '-n', namespace, '--dry-run')
  expect(dry.out).toMatch(/^DEPLOYMENT +CHANGE +RUNTIME\n\S+ +created /)
  const { items } = await json<{ items: { id: string }[] }>(
    'apply-package',
    '-f',
    PACKAGE,
    '--env',
    'cloud',
    '-n',
    namespace,
  )
  const rows = await json<{ id: string }[]>('list-runtimes', '-n', namespace)
  expect(rows.map((row) => row.id)).toEqual(items.map((item) => item.id).toSorted())

  const file = join(place.dir, 'broken.yaml')
  await writeFile(file, manifest(namespace, [{ function_key: 'a', provision_config: { port: 'http' } }]))
  expect(await run('apply-runtime', '-f', file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('spec.functions[0].provision_config.port'),
  })
  await writeFile(file, 'spec: [')
  expect((await run('apply-runtime', '-f', file)).err).toContain('is not valid YAML at line 1')
  expect((await run('get-runtime', 'a/b/c')).err).toContain('write its name, or namespace/name')
})
