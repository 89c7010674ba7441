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

test('a runtime is applied, converged, explained, changed and deleted', { timeout: 300_000 }, async () => {
  await using controlPlane = await RuntimesWorld.make()
  const { namespace } = controlPlane
  await using place = await runtimesInstallation(namespace)
  const { run, json, tried } = place
  const file = join(place.dir, 'cart.yaml')
  const id = `${namespace}/cart`
  await writeFile(file, manifest(namespace, [fn('add'), fn('pay')]))

  const dry = await run('apply-runtime', '-f', file, '--dry-run')
  expect(dry).toContain(`${id} would be created`)
  expect(dry).toContain('+ Deployment/cart--add\n  + metadata.labels[')
  expect(dry).toMatch(/  \+ spec\.template\.spec\.containers\[name=function\]\.image: "\S+"\n/)
  expect(await json('list-runtimes', '-n', namespace)).toEqual([])

  await using controllers = start(['run-controllers', '--concurrency', '4'], place.env)
  expect(await run('apply-runtime', '-f', file, '--wait')).toBe(`${id} applied, generation 1\n`)
  expect(await run('list-runtimes', '-n', namespace)).toMatch(
    /^NAMESPACE +NAME +PHASE +FUNCTIONS .*\n\S+ +cart +available +2\/2 +k8s_deployment /,
  )
  // The server hears of the children by other watches than of the runtime, and of decisions once they are kept.
  await expect.poll(() => run('get-runtime', 'cart', '-n', namespace)).toMatch(/Deployment\/cart--add +ready/)
  await expect.poll(() => run('explain-runtime', id)).toMatch(/^why +it is available[\s\S]*action required +nobody/)
  const told = async (): Promise<string[]> => {
    const events = await json<{ what: string; source: string }[]>('timeline-runtime', id)
    return events.map(({ source, what }) => `${source} ${what}`)
  }
  await expect.poll(told).toEqual(expect.arrayContaining(['audit created', 'decision apply', 'phase available']))

  await writeFile(file, manifest(namespace, [fn('add')]))
  expect(await run('apply-runtime', '-f', file, '--dry-run')).toContain('- Deployment/cart--pay')
  expect(await run('apply-runtime', '-f', file, '--wait')).toBe(`${id} applied, generation 2\n`)

  const [, probes = ''] = await controllers.says(/"probes":"(http:[^"]+)"/)
  await expect.poll(async () => (await fetch(`${probes}/readyz`)).json()).toMatchObject({ status: 'ok' })
  // The server may have seen the status before the controllers did, who wrote it.
  const metrics = async (): Promise<string> => (await fetch(`${probes}/metrics`)).text()
  await expect.poll(metrics).toMatch(/crm_phase_transitions_total\{from="[a-z]*",to="available"\} [1-9]/)
  await expect.poll(metrics).toMatch(/crm_conditions\{type="Available",status="True"\} 1/)

  expect(await run('delete-runtime', id)).toBe(`deleted ${id}\n`)
  expect(await tried('get-runtime', id)).toMatchObject({ code: 1, err: expect.stringContaining('NotFound') })
  controllers.child.kill('SIGTERM')
  expect(await controllers.ended).toMatchObject({ code: 0 })
})

test('a package is applied, and what is wrong with input is told', { timeout: 240_000 }, async () => {
  await using controlPlane = await RuntimesWorld.make()
  const { namespace } = controlPlane
  await using place = await runtimesInstallation(namespace)
  const { run, json, tried } = place
  const dry = await run('apply-package', '-f', PACKAGE, '--env', 'cloud', '-n', namespace, '--dry-run')
  expect(dry).toMatch(/^DEPLOYMENT +CHANGE +RUNTIME\n\S+ +created /)
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
  expect(await tried('apply-runtime', '-f', file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('spec.functions[0].provision_config.port'),
  })
  await writeFile(file, 'spec: [')
  expect((await tried('apply-runtime', '-f', file)).err).toContain('is not valid YAML at line 1')
  expect((await tried('get-runtime', 'a/b/c')).err).toContain('write its name, or namespace/name')
})
