import { expect, test } from 'vitest'
import { ConfigMap, Namespace } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { page } from './charts.ts'
import { createUser } from '../../support/users.ts'
import { WorkerWorld } from './world.ts'

const MESSAGE = `"double" 'single' \\back
second line: {{ .Values.user | quote }} {{- fail "evaluated" -}}
<script>alert("x")</script> &amp; $(HOME) %s # no comment
`

test('whoever has no readable name, and whatever they write, gets a page that says exactly that', async () => {
  await using world = await WorkerWorld.make()
  const valuesSchema = {
    type: 'object',
    properties: { user: { type: 'object', properties: { message: { type: 'string' } } } },
  }
  const folder = await writeChart(world.dir, { 'page.yaml': page('{{ .Values.user.message | toJson }}') })
  const templateId = await world.publish(folder, { valuesSchema })
  const userId = await createUser(world.database.pool, '!#$%@***')
  await world.worker()
  const made = await world.orderWithoutVolume({ message: MESSAGE }, 'shop.example.com', { templateId, userId })
  const { id, deploymentUid, namespaceName: namespace } = made
  expect(deploymentUid).toMatch(/^dep-[0-9a-z]{6}$/)
  await world.until(id, 'ready')
  const labels = (await world.client.get(Namespace, { name: deploymentUid }))?.metadata.labels
  expect(labels?.['caelus.io/deployment-id']).toBe(id)
  expect((await world.client.get(ConfigMap, { namespace, name: 'page' }))?.data).toEqual({ text: MESSAGE })
})
