import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { fn, RuntimesWorld } from '../runtimes/world.ts'
import { start } from './caelus.ts'
import { installation, type Installation } from './installation.ts'

const PACKAGE = join(import.meta.dirname, '../../examples/runtimes/shop.opackage.yaml')

/** An installation that looks after one namespace. */
const runtimesInstallation = (namespace: string): Promise<Installation> =>
  installation({ CAELUS_RUNTIMES_NAMESPACE: namespace, CAELUS_RUNTIMES_LEASE_NAMESPACE: namespace })

const manifest = (namespace: string, functions: object[]): string =>
  stringify({
    apiVersion: 'oaas.io/v1alpha1',
    kind: 'ClassRuntime',
    metadata: { name: 'cart', namespace },
    spec: { selected_template: 'k8s_deployment', addons: [], functions },
  })

test('a runtime is applied, converged, explained, changed and deleted', { timeout: 240_000 }, async () => {
  await using cluster = await RuntimesWorld.make()
  const { namespace } = cluster
  await using place = await runtimesInstallation(namespace)
  const { run, json } = place
  const file = join(place.dir, 'cart.yaml')
  const id = `${namespace}/cart`
  await writeFile(file, manifest(namespace, [fn('add'), fn('pay')]))

  const dry = await run('apply-runtime', '-f', file, '--dry-run')
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining(`${id} would be created`) })
  expect(dry.out).toContain('+ Deployment/cart--add\n  + /metadata/labels/')
  expect(dry.out).toMatch(/  \+ \/spec\/template\/spec\/containers\/function\/image: "\S+"\n/)
  expect(await json('list-runtimes', '-n', namespace)).toEqual([])

  await using controllers = start(['run-controllers', '--concurrency', '4'], place.env)
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
  await using cluster = await RuntimesWorld.make()
  const { namespace } = cluster
  await using place = await runtimesInstallation(namespace)
  const { run, json } = place
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
