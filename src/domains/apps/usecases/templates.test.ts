import { expect, test } from 'vitest'
import type { Chart } from '../helm/port.ts'
import type { JsonObject } from '../values/json.ts'
import type { UseCaseDeps } from './deps.ts'
import { inspectChart } from './templates.ts'

const chart: Chart = {
  archive: '/nowhere',
  digest: 'sha256:0',
  name: 'odd',
  version: '1.0.0',
  appVersion: null,
  description: null,
  icon: null,
  defaultValues: {},
  valuesSchema: null,
}

const inspected = (valuesSchema: JsonObject) => {
  const charts = { fetch: () => Promise.resolve({ ...chart, valuesSchema }) }
  return inspectChart({ charts } as unknown as UseCaseDeps, { admin: true }, { ref: 'x', version: '1', digest: null })
}

test.each<[string, JsonObject, string | RegExp]>([
  [
    'that is too deep',
    JSON.parse(`${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`),
    /^values_schema(?:\/not){41}$/,
  ],
  ['that is too large', { description: 'x'.repeat(2 * 1024 ** 2) }, 'values_schema'],
  ['with a pointer that is none', { properties: { user: { $ref: '#/%zz' } } }, 'values_schema/properties/user/$ref'],
  ['without an end', { properties: { user: { $ref: '#/properties/user' } } }, 'values_schema/properties/user'],
])('a schema %s is a problem of the chart, with its field', async (_name, schema, field) => {
  const { problems, form } = await inspected(schema)
  expect(problems).toHaveLength(1)
  expect(problems[0]?.field).toMatch(field)
  expect(form.enabled).toBe(false)
})
