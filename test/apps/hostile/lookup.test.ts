import { expect, test } from 'vitest'
import { ConfigMap } from '../../../src/kube/index.ts'
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
