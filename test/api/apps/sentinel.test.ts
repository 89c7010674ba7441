import { expect, test } from 'vitest'
import type { AppsInsight } from '../../../src/api/routes/apps/index.ts'
import { masker, redactedDiff } from '../../../src/domains/apps/index.ts'
import { onServer } from '../../support/postgres.ts'
import { expectNoSentinel, SENTINEL } from '../../support/sentinel.ts'
import { appsWorld } from './world.ts'

/** What replaces the sentinel: no part of it is a part of the first. */
const NEXT = Array.from(SENTINEL).toReversed().join('')

/** Shows what it was given, through the same mask as the real one. */
const insight: AppsInsight = {
  preview: ({ before, after, secrets }) =>
    Promise.resolve({
      values: redactedDiff(before?.shown ?? {}, after.shown, { mask: masker(secrets) }),
      objects: [],
    }),
  explain: () => Promise.reject(new Error('failed to look at the cluster')),
  resources: () => Promise.resolve([]),
  notes: () => Promise.resolve(undefined),
  manifest: () => Promise.resolve(undefined),
  values: () => Promise.resolve(undefined),
}

test('a write-only value is found in no answer, refusal, diff, event, metric, log line or row', async () => {
  await using w = await appsWorld({ insight })
  const { template_id } = await w.product()
  const ada = await w.person('member')
  const said: string[] = []
  const ask = async (
    by: { secret: string },
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
  ) => {
    const answer = await w.as(by.secret, {
      method,
      url: `/api/v1${url}`,
      ...(payload && { payload }),
      headers: { 'idempotency-key': `${said.length}` },
    })
    said.push(`${method} ${url} ${answer.statusCode} ${JSON.stringify(answer.headers)} ${answer.body}`)
    return answer
  }
  const place = `/users/${ada.userId}/deployments`
  const order = { template_id, domainname: 'secret.example.test', user_values: { message: 'hi', password: SENTINEL } }
  const { id } = (await ask(ada, 'POST', place, order)).json()
  expect(id).toEqual(expect.any(String))
  await ask(ada, 'POST', `${place}:preview`, { ...order, domainname: 'other.example.test' })
  const preview = await ask(ada, 'POST', `${place}/${id}:preview`, { user_values: { message: 'hi', password: NEXT } })
  expect(preview.json().values).toEqual([expect.objectContaining({ field: 'user.password', change: 'changed' })])
  await ask(ada, 'PATCH', `${place}/${id}`, { user_values: { message: 'hi', password: NEXT } })
  const tooMuch = { user_values: { message: 'x'.repeat(50), password: SENTINEL, colour: SENTINEL } }
  expect((await ask(ada, 'PATCH', `${place}/${id}`, { user_values: { password: 'short' } })).statusCode).toBe(400)
  const refused = await ask(ada, 'PATCH', `${place}/${id}`, tooMuch)
  expect(refused.statusCode).toBe(400)
  for (const url of [
    place,
    `${place}/${id}`,
    `${place}/${id}/explain`,
    `${place}/${id}/timeline`,
    `${place}/${id}/revisions`,
    `${place}/${id}/notes`,
    `${place}/${id}/manifest`,
    `${place}/${id}/values`,
    `/templates/${template_id}/form`,
  ]) {
    await ask(ada, 'GET', url)
  }
  for (const url of ['/deployments', '/reconcile-jobs', '/events', '/decisions', '/status'])
    await ask(w.admin, 'GET', url)
  await ask(ada, 'DELETE', `${place}/${id}`)
  said.push((await w.app.inject({ url: '/metrics' })).body, ...w.log)

  const rows = await onServer(w.url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('caelus.%I', tablename) as name from pg_tables where schemaname = 'caelus'`,
    )
    const all: string[] = []
    for (const { name } of tables) {
      const { rows: found } = await client.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)
      all.push(...found.map(({ row }) => row))
    }
    return all
  })
  expect(rows.some((row) => row.includes('sealed_values') && row.includes('/password'))).toBe(true)
  for (const secret of [SENTINEL, NEXT]) {
    for (const text of [...rows, ...said]) expectNoSentinel(text, secret)
  }
})
