import { expect, test } from 'vitest'
import { SCHEMA_CASES, schemaOf } from '../../../../test/apps/helm/schema-cases.ts'
import { checkMergedValues, checkSchema } from './schema.ts'

/* That Helm says the same is asked of Helm itself, in test/apps/helm/schema.test.ts. */
test.each(SCHEMA_CASES)('$name', (one) => {
  const schema = schemaOf(one)
  expect(checkSchema(schema)).toEqual([])
  expect(checkMergedValues(schema, { a: one.value }).length === 0).toBe(one.isValid)
})
