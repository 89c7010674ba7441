import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { manifestOf, notesOf, valuesOf, type AppsParts } from '../../../src/domains/apps/index.ts'
import { releases } from '../../../src/domains/apps/helm/index.ts'
import { discovery } from '../../../src/kube/index.ts'
import { testTransport } from '../../support/kube.ts'
import { expectNoSentinel, SENTINEL } from '../../support/sentinel.ts'
import { writeChart } from '../helm/world.ts'
import { page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const NEXT = Array.from(SENTINEL).toReversed().join('')

const schema = {
  type: 'object',
  properties: {
    smtp: { type: 'object', properties: { password: { type: 'string', writeOnly: true } } },
    user: {
      type: 'object',
      properties: { text: { type: 'string' }, password: { type: 'string', writeOnly: true } },
    },
  },
}

/** Tells everything it knows, and paints the terminal. */
const NOTES = `Open http://{{ .Values.ingress.host }}, {{ .Values.user.text }}. Revision {{ .Release.Revision }}.
Your password is {{ .Values.user.password }}, in base64 {{ .Values.user.password | b64enc }}.
Mail is sent with {{ .Values.smtp.password | quote }}.{{ "\\x1b[31m" }} Thank you.
`

const viewOf = async (world: WorkerWorld) => {
  const transport = await testTransport()
  const parts: Pick<AppsParts, 'client' | 'releases'> = {
    client: world.client,
    releases: releases(world.client, discovery(transport)),
  }
  return { parts, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() }
}

test('notes of the chart are told as the release has them, without what is write-only in it', async () => {
  await using world = await WorkerWorld.make()
  await using view = await viewOf(world)
  const folder = await writeChart(world.dir, { 'page.yaml': page('{{ .Values.user.text }}'), 'NOTES.txt': NOTES })
  const templateId = await world.publish(folder, {
    valuesSchema: schema,
    defaultValues: { smtp: { password: `smtp ${SENTINEL}` } },
  })
  const made = await world.orderWithoutVolume({ text: 'hello', password: SENTINEL }, 'a.example.com', { templateId })
  const { id, userId } = made
  const owner = { userId, admin: false }
  const notes = async () => await notesOf(view.parts, await world.apps.releaseInputs(owner, { id }))
  expect(await notes()).toBeUndefined()

  await world.worker()
  await world.until(id, 'ready')
  const told = await notes()
  expect(told).toEqual({
    revision: 1,
    text:
      'Open http://a.example.com, hello. Revision 1.\n' +
      'Your password is (write-only), in base64 (write-only).\n' +
      'Mail is sent with "(write-only)".[31m Thank you.',
  })

  // The release still has the password from before.
  await world.apps.suspendDeployment(ADMIN, { id })
  await world.apps.updateDeployment(owner, { id }, { userValues: { text: 'bye', password: NEXT } })
  expect(await notes()).toEqual(told)
  await world.database.pool.query('delete from caelus.deployment_revision where generation = 1')
  expect(await notes()).toEqual(told)
  expectNoSentinel(told?.text ?? '')

  await world.apps.resumeDeployment(ADMIN, { id })
  await world.until(id, 'ready')
  const after = await notes()
  expect(after).toMatchObject({ revision: 2, text: expect.stringContaining('bye. Revision 2.') })
  expect(after?.text).not.toContain(NEXT)
})

/** Has secrets where they belong and where they do not, and what YAML 1.1 reads as something else. */
const SPREAD = `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Secret
    metadata: { name: access }
    stringData: { generated: {{ "chosen by the chart" | quote }}, password: {{ .Values.user.password | toJson }} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: config }
data:
  switch: "on"
  dsn: {{ printf "db://user:%s@host" .Values.user.password | toJson }}
  encoded: {{ .Values.smtp.password | b64enc }}
`

test('manifest and values of the release are shown to its owner without secrets', async () => {
  await using world = await WorkerWorld.make()
  await using view = await viewOf(world)
  const folder = await writeChart(world.dir, { 'spread.yaml': SPREAD })
  const templateId = await world.publish(folder, {
    valuesSchema: schema,
    defaultValues: { smtp: { host: 'mail.internal', password: `smtp ${SENTINEL}` }, user: { text: 'of the template' } },
  })
  const made = await world.orderWithoutVolume({ password: SENTINEL }, 'a.example.com', { templateId })
  const { id, userId, namespaceName } = made
  const owner = { userId, admin: false }
  await world.worker()
  await world.until(id, 'ready')
  const inputs = (actor = owner) => world.apps.releaseInputs(actor, { id })

  const { revision, text = '' } = (await manifestOf(view.parts, await inputs())) ?? {}
  expect(revision).toBe(1)
  expect(parseAllDocuments(text, { version: '1.1' }).map((one) => one.toJS())).toEqual([
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'config' },
      data: { switch: 'on', dsn: 'db://user:(write-only)@host', encoded: expect.stringMatching(/^\(write-only\)=?$/) },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'access' },
      stringData: { generated: '(write-only)', password: '(write-only)' },
    },
  ])

  const valuesFor = async (actor: typeof owner) => {
    const shown = (await valuesOf(view.parts, await inputs(actor)))?.text ?? ''
    return { shown, value: parseAllDocuments(shown)[0]?.toJS() }
  }
  const member = await valuesFor(owner)
  expect(member.value).toMatchObject({
    user: { text: 'of the template', password: '(write-only)' },
    ingress: { host: 'a.example.com' },
    caelus: { namespace: namespaceName },
  })
  expect(member.shown).not.toContain('mail.internal')
  const admin = await valuesFor({ userId, admin: true })
  expect(admin.value).toMatchObject({ smtp: { host: 'mail.internal', password: '(write-only)' } })
  expectNoSentinel([text, member.shown, admin.shown].join())
})
