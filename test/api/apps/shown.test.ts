import { expect, test } from 'vitest'
import type { TemplateView } from '../../../src/api/contract/index.ts'
import { expectNoSentinel, SENTINEL } from '../../support/sentinel.ts'
import { appsWorld, SCHEMA } from './world.ts'

test('a member reads of a template what its form shows; an admin all but what is write-only', async () => {
  await using w = await appsWorld()
  const product = await w.product()
  const smtp = { type: 'object', properties: { password: { type: 'string', writeOnly: true, default: SENTINEL } } }
  const published = await w.as(w.admin.secret, {
    method: 'POST',
    url: `/api/v1/products/${product.id}/templates`,
    payload: {
      chart_ref: 'oci://registry/hello',
      chart_version: '2.0.0',
      default_values: { user: { password: SENTINEL }, smtp: { password: SENTINEL }, relay: 'intranet.example' },
      values_schema: { ...SCHEMA, properties: { ...SCHEMA.properties, smtp } },
    },
  })
  expect(published.statusCode).toBe(201)
  const { id } = published.json<TemplateView>()
  const ada = await w.person('member')
  const url = `/api/v1/products/${product.id}/templates`
  const read = async (secret: string): Promise<TemplateView[]> => {
    const one = (await w.as(secret, { url: `${url}/${id}` })).json<TemplateView>()
    const all = (await w.as(secret, { url })).json<{ items: TemplateView[] }>()
    return [one, ...all.items.filter((listed) => listed.id === id)]
  }
  const theirs = await read(ada.secret)
  expect(theirs).toHaveLength(2)
  for (const template of theirs) {
    expectNoSentinel(template)
    expect(template.default_values).toEqual({ user: { message: 'hello', replicas: 1 } })
    expect(Object.keys(template.values_schema?.['properties'] ?? {})).toEqual(['user'])
    expect(JSON.stringify(template)).not.toContain('intranet')
  }
  const ours = await read(w.admin.secret)
  expect(ours).toHaveLength(2)
  for (const template of [...ours, published.json<TemplateView>()]) {
    expectNoSentinel(template)
    expect(template.default_values).toMatchObject({ relay: 'intranet.example', smtp: { password: '(write-only)' } })
    expect(template.values_schema).toMatchObject({ properties: { smtp: { properties: { password: {} } } } })
  }
})
