import { expect, test } from 'vitest'
import { previewOf } from '../../../src/domains/apps/index.ts'
import { ConfigMap, PersistentVolumeClaim } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { claim, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const SCHEMA = { properties: { user: { type: 'object', properties: { message: { type: 'string' } } } } }
const SAYS = '{{ if .Release.IsUpgrade }}upgraded{{ else }}installed{{ end }}-{{ .Values.user.message }}'

test(
  'what exists is rendered as an upgrade: a claim that only installs have is kept',
  { timeout: 120_000 },
  async () => {
    await using world = await WorkerWorld.make()
    const { client } = world
    const parts = await world.parts()
    const folder = await writeChart(world.dir, {
      'page.yaml': page(SAYS),
      'claim.yaml': `{{ if .Release.IsInstall }}\n${claim}{{ end }}`,
    })
    const templateId = await world.publish(folder, { valuesSchema: SCHEMA })
    await world.worker()
    const made = await world.orderWithoutVolume({ message: 'one' }, 'shop.example.com', { templateId })
    const { id, namespaceName: namespace } = made
    await world.layVolume(made)
    await world.until(id, 'ready')

    const inputs = await world.apps.previewUpdate(ADMIN, { id }, { userValues: { message: 'two' } })
    const { objects } = await previewOf(parts, inputs)
    expect(objects.find(({ object }) => object === 'ConfigMap/page')?.fields).toMatchObject([
      { path: ['data', 'text'], before: 'installed-one', after: 'upgraded-two' },
    ])
    await world.apps.updateDeployment(ADMIN, { id }, { userValues: { message: 'two' } })
    await world.until(id, 'ready')
    expect((await client.get(ConfigMap, { namespace, name: 'page' }))?.data).toEqual({ text: 'upgraded-two' })
    const kept = await client.get(PersistentVolumeClaim, { namespace, name: `${namespace}-data` })
    expect(kept?.metadata.deletionTimestamp).toBeUndefined()
    expect(kept?.metadata.name).toBe(`${namespace}-data`)
  },
)
