import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { explainNow, previewOf, resourcesOf, type JsonObject } from '../../../src/domains/apps/index.ts'
import { failureOf } from '../../../src/kernel/index.ts'
import { ConfigMap, Secret } from '../../../src/kube/index.ts'
import { expectNoSentinel, SENTINEL } from '../../support/sentinel.ts'
import { writeChart } from '../helm/world.ts'
import { ADMIN, WorkerWorld } from './world.ts'

/** Of the template, and no part of the tenant's. */
const THEIRS = Array.from(SENTINEL).toReversed().join('')
const KEY = `-----BEGIN KEY-----\n${SENTINEL}\n<'${SENTINEL}'>\n-----END KEY-----\n`

const secret = { type: 'string', writeOnly: true }
const valuesSchema: JsonObject = {
  type: 'object',
  properties: {
    user: {
      type: 'object',
      properties: { password: secret, key: secret, initial: secret, label: secret, note: { type: 'string' } },
    },
    smtp: { type: 'object', properties: { password: { type: 'string', format: 'password' } } },
  },
}

/** Puts secrets wherever a chart can, in plain, in other spellings and into fields that are refused. */
const CHART = {
  'config.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: config
  {{- with .Values.user.label }}
  labels: { a: {{ . | quote }} }
  {{- end }}
data:
  note: {{ .Values.user.note | default "" | quote }}
  plain: {{ .Values.user.password | toJson }}
  json: {{ dict "key" .Values.user.key | toJson | quote }}
  key: {{ .Values.user.key | toJson }}
  quoted: '{{ .Values.user.password | replace "'" "''" | replace "\\n" "\\n\\n    " }}'
  encoded: {{ .Values.user.key | b64enc }}
  url: smtp://relay:{{ .Values.smtp.password | urlquery }}@mail.example
  first: {{ .Values.user.initial | toJson }}
`,
  'fail.yaml': `{{ if eq (.Values.user.note | default "") "fail" }}{{ fail (printf "%s %s" .Values.smtp.password .Values.user.key) }}{{ end }}`,
  'secret.yaml': `apiVersion: v1
kind: Secret
metadata: { name: config }
stringData: { internal: {{ .Values.internal | quote }} }
`,
}

test('no answer about a real release holds a write-only value of its tenant or its template', async () => {
  await using world = await WorkerWorld.make()
  const { client, apps, userId } = world
  const parts = await world.parts()
  const folder = await writeChart(world.dir, CHART)
  await writeFile(join(folder, 'values.schema.json'), JSON.stringify(valuesSchema))
  const templateId = await world.publish(folder, {
    defaultValues: { user: { initial: THEIRS }, smtp: { password: THEIRS }, internal: 'only-for-admins' },
  })
  const member = { userId, admin: false }
  const told: unknown[] = []
  const asked = { userId, templateId, domainname: 'secret.example.com', userValues: { password: SENTINEL, key: KEY } }
  const ahead = await previewOf(parts, await apps.previewCreate(member, asked))
  told.push(ahead)
  expect(JSON.stringify(ahead.values)).not.toContain('only-for-admins')
  expect(JSON.stringify(ahead)).not.toContain('only-for-admins')
  expect(ahead.objects.map(({ object }) => object)).toEqual(['ConfigMap/config', 'Secret/config'])
  told.push(await previewOf(parts, await apps.previewCreate(ADMIN, asked)))

  await world.worker({ settings: parts.settings })
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, asked.domainname, asked)
  await world.until(id, 'ready')
  const config = await client.get(ConfigMap, { namespace, name: 'config' })
  expect(config?.data).toMatchObject({ plain: SENTINEL, first: THEIRS })
  expect(config?.data?.key).toContain(SENTINEL)
  expect((await client.get(Secret, { namespace, name: 'config' }))?.data).toBeDefined()

  const change = { userValues: { password: `${SENTINEL}!`, note: 'new' } }
  const changed = await previewOf(parts, await apps.previewUpdate(member, { id }, change))
  expect(changed.objects).toMatchObject([{ object: 'ConfigMap/config', change: 'changed' }])
  told.push(changed)
  const refused = { userValues: { label: `${SENTINEL} ${THEIRS}` } }
  const unwelcome = await previewOf(parts, await apps.previewUpdate(member, { id }, refused))
  expect(unwelcome.notConsulted).toEqual([expect.stringContaining('(write-only)')])
  told.push(unwelcome)

  const failing = await apps.previewUpdate(member, { id }, { userValues: { note: 'fail' } })
  const failure = await previewOf(parts, failing).catch(failureOf)
  expect(failure).toMatchObject({ code: 'ChartInvalid', message: expect.stringContaining('(write-only)') })
  told.push(failure)

  // Somebody edits what we set, so that explain has fields to name.
  await client.patch(ConfigMap, { namespace, name: 'config' }, { merge: { data: { plain: 'edited' } } })
  told.push(await explainNow(parts, id, null))
  await world.lookAgain(id)
  await apps.updateDeployment(member, { id }, refused)
  await expect.poll(async () => (await world.row(id)).lastError?.code, { timeout: 60_000 }).toBe('ObjectInvalid')
  told.push((await world.row(id)).lastError)
  told.push(await explainNow(parts, id, null))
  told.push(await resourcesOf(parts, id))
  told.push(await apps.timeline(member, { id }))

  for (const text of told) {
    for (const one of [SENTINEL, THEIRS]) expectNoSentinel(text, one)
  }
})
