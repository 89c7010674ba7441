import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Apps } from '../../../src/domains/apps/usecases/index.ts'
import { CustomResourceDefinition } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { codeOf } from '../store/world.ts'
import { page } from './charts.ts'
import { triedApps } from './tried.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const definition = (
  group: string,
  plural: string,
  versions: readonly string[],
): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.${group} }
spec:
  group: ${group}
  names: { kind: ${plural === 'wheels' ? 'Wheel' : 'Widget'}, plural: ${plural} }
  scope: Namespaced
  versions:
${versions.map((name, index) => `    - { name: ${name}, served: true, storage: ${index === 0}, schema: { openAPIV3Schema: { type: object } } }`).join('\n')}
`

async function publish(
  apps: Apps,
  world: WorkerWorld,
  version: string,
  definitions: readonly string[],
  templates = {},
) {
  const folder = await writeChart(world.dir, { 'page.yaml': page('x'), ...templates }, { version })
  await mkdir(join(folder, 'crds'))
  await Promise.all(definitions.map((text, index) => writeFile(join(folder, 'crds', `${index}.yaml`), text)))
  const { productId } = world
  return apps.publishTemplate(ADMIN, { productId, chartRef: folder, chartVersion: version, healthTimeoutSec: 60 })
}

test(
  'an admin installs the definitions of a chart: all or none, and none that lacks a version',
  { timeout: 120_000 },
  async () => {
    await using world = await WorkerWorld.make()
    await using tried = await triedApps(world)
    const { apps } = tried
    const group = `t${randomBytes(4).toString('hex')}.example.com`
    const present = (plural: string) => world.client.get(CustomResourceDefinition, { name: `${plural}.${group}` })
    await using _ = {
      async [Symbol.asyncDispose]() {
        for (const plural of ['widgets', 'wheels'])
          await world.client.delete(CustomResourceDefinition, { name: `${plural}.${group}` })
      },
    }
    const widget = `apiVersion: ${group}/v1\nkind: Widget\nmetadata: { name: one }\n`
    const first = await publish(apps, world, '1.0.0', [definition(group, 'widgets', ['v1'])], { 'widget.yaml': widget })
    expect(first.inspection?.findings.map(({ message }) => message).join()).toContain('caelus install-crds')
    const install = ({ id }: { readonly id: string }, dryRun = false) =>
      apps.installTemplateDefinitions(ADMIN, { id }, { dryRun })
    const changes = async (template: { readonly id: string }, dryRun = false) =>
      (await install(template, dryRun)).map(
        ({ name, is, versions }) => `${name.split('.')[0]} ${is} ${versions.join()}`,
      )
    const { userId } = world
    const wish = { userId, templateId: first.id, domainname: group }
    expect(await codeOf(apps.createDeployment(ADMIN, wish))).toBe('KindUnknown')

    expect(
      await codeOf(apps.installTemplateDefinitions({ userId, admin: false }, { id: first.id }, { dryRun: true })),
    ).toBe('NotAllowed')
    expect(await changes(first, true)).toEqual(['widgets new v1'])
    expect(await present('widgets')).toBe(undefined)
    expect(await changes(first)).toEqual(['widgets new v1'])
    expect(await changes(first)).toEqual(['widgets same v1'])
    await world.worker()
    // The API server serves a new kind a moment after its definition was accepted.
    const ordering = () => apps.createDeployment(ADMIN, wish)
    const made = await vi.waitFor(ordering, { timeout: 20_000, interval: 200 })
    await world.until(made.id, 'ready')

    const both = [definition(group, 'widgets', ['v2', 'v1']), definition(group, 'wheels', ['v1'])]
    const second = await publish(apps, world, '1.1.0', both)
    expect(await changes(second)).toEqual(['widgets changed v2,v1', 'wheels new v1'])

    // Older: what is stored as v2 could not be read any more. Nothing of the chart is installed.
    const before = await present('wheels')
    const older = await publish(apps, world, '1.2.0', [
      definition(group, 'wheels', ['v1', 'v3']),
      definition(group, 'widgets', ['v1']),
    ])
    expect(await codeOf(install(older))).toBe('DefinitionsRefused')
    await expect(install(older)).rejects.toThrow(/widgets\.\S+ has v2 in the cluster/)
    expect((await present('wheels'))?.metadata.generation).toBe(before?.metadata.generation)

    // Kept by somebody else.
    await world.client
      .as({ user: 'admin', groups: ['system:masters'] })
      .apply(
        CustomResourceDefinition,
        { ...(before as CustomResourceDefinition), metadata: { name: `wheels.${group}` }, status: undefined } as never,
        { fieldManager: 'other', force: true },
      )
    const more = await publish(apps, world, '1.3.0', [definition(group, 'wheels', ['v3', 'v1'])])
    await expect(install(more)).rejects.toThrow(/has another owner/)
    await world.apps.deleteDeployment(ADMIN, { id: made.id })
    await world.until(made.id, 'deleted')
  },
)

test('without the right to write definitions the setting is named', { timeout: 60_000 }, async () => {
  await using world = await WorkerWorld.make()
  await using tried = await triedApps(world, world.client.as({ user: 'nobody' }))
  const { id } = await publish(tried.apps, world, '1.0.0', [definition('never.example.com', 'widgets', ['v1'])])
  expect(await codeOf(tried.apps.installTemplateDefinitions(ADMIN, { id }, { dryRun: false }))).toBe(
    'DefinitionsDisabled',
  )
})
