import { expect, test } from 'vitest'
import { resourcesOf } from '../../../src/domains/apps/index.ts'
import { releaseSecret, type StoredRelease } from '../../../src/domains/apps/helm/storage.ts'
import { ConfigMap, Secret } from '../../../src/kube/index.ts'
import { HostileWorld, TREASURE } from './world.ts'

/** As many charts do it: a value of the tenant is a template of its own. */
const ECHO = `apiVersion: v1
kind: ConfigMap
metadata: { name: echo }
data: { text: {{ tpl .Values.user.text . | quote }} }
`
const IN_BASE64 = Buffer.from(TREASURE).toString('base64')
const dataOf = (namespace: string, name: string): string =>
  `<{{ (lookup "v1" "Secret" "${namespace}" "${name}").data | toJson }}>`

const expectNothingOf = (shown: unknown): void => {
  expect(JSON.stringify(shown)).not.toContain(TREASURE)
  expect(JSON.stringify(shown)).not.toContain(IN_BASE64)
}

test('the preview of an order sees nothing of the cluster', async () => {
  await using world = await HostileWorld.make()
  await using hidden = await world.hide('kube-system')
  const template = await world.publish({ 'echo.yaml': ECHO })
  const shown = await world.previewOrder(template, dataOf('kube-system', hidden.name))
  expectNothingOf(shown)
  expect(JSON.stringify(shown)).toContain('<null>')
  for (const [kind, namespace] of [
    ['Secret', 'kube-system'],
    ['Secret', ''],
    ['Namespace', ''],
  ]) {
    const list = `<{{ len ((lookup "v1" "${kind}" "${namespace}" "").items) }}>`
    expect(JSON.stringify(await world.previewOrder(template, list))).toContain('<0>')
  }
  const served = `<{{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }}>`
  expect(JSON.stringify(await world.previewOrder(template, served))).toContain('<true>')
})

test('a release sees its own namespace and no other, rendered as installed', { timeout: 120_000 }, async () => {
  await using world = await HostileWorld.make()
  const { worker } = world
  const template = await world.publish({ 'echo.yaml': ECHO })
  await worker.worker()
  const order = (text: string, domain: string) => worker.orderWithoutVolume({ text }, domain, { templateId: template })
  const theirs = await order('theirs', 'theirs.example.com')
  await worker.until(theirs.id, 'ready')
  await using elsewhere = await world.hide('kube-system')
  await using neighbours = await world.hide(theirs.namespaceName)

  const foreign = [dataOf('kube-system', elsewhere.name), dataOf(theirs.namespaceName, neighbours.name)].join('')
  const ours = await order(foreign, 'ours.example.com')
  await worker.until(ours.id, 'ready')
  const at = { namespace: ours.namespaceName, name: 'echo' }
  expect((await worker.client.get(ConfigMap, at))?.data?.['text']).toBe('<null><null>')

  await using own = await world.hide(ours.namespaceName)
  const shown = await world.previewChange(ours.id, `${foreign}+${foreign}`)
  expectNothingOf(shown)
  expect(JSON.stringify(shown)).toContain('<null><null>+<null><null>')
  const change = await world.previewChange(ours.id, dataOf(ours.namespaceName, own.name))
  expect(JSON.stringify(change)).toContain(IN_BASE64)
})

test('a record that a tenant forged shows nothing of others', { timeout: 120_000 }, async () => {
  await using world = await HostileWorld.make()
  const { worker, parts } = world
  const template = await world.publish({ 'echo.yaml': ECHO })
  const running = await worker.worker()
  const { id, namespaceName: namespace } = await worker.orderWithoutVolume({ text: 'mine' }, 'forged.example.com', {
    templateId: template,
  })
  await worker.until(id, 'ready')
  await running.stop()
  await using hidden = await world.hide('kube-system')
  const forged = {
    name: namespace,
    namespace,
    version: 2,
    manifest: `---\napiVersion: v1\nkind: Secret\nmetadata: { name: ${hidden.name}, namespace: kube-system }\n`,
    info: { status: 'deployed', description: '', last_deployed: '2026-01-01T00:00:00Z' },
  } as unknown as StoredRelease
  await worker.client.create(Secret, await releaseSecret({ namespace, release: namespace }, forged, {}))
  expect((await parts.releases.newest({ namespace, release: namespace }))?.objects).toHaveLength(1)
  const shown = await world.previewChange(id, 'other')
  expectNothingOf(shown)
  expect(shown.objects.map(({ object }) => object)).toEqual(['ConfigMap/echo'])
  expect((await resourcesOf(parts, id)).map((one) => one.name)).not.toContain(hidden.name)
})
