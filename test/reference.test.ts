import { expect, test } from 'vitest'
import { PAGES } from '../tools/generate/reference.ts'
import { golden } from './support/golden.ts'

test.each(PAGES)('$path says what the code says', async ({ path, make }) => golden(path, await make()))

test('every operation of the API has a name, a summary and a place', async () => {
  const page = PAGES.find(({ path }) => path.endsWith('openapi.json'))
  const { openapi, paths } = JSON.parse((await page?.make()) ?? '{}')
  const operations: Record<string, unknown>[] = Object.values(paths as object).flatMap((path: object) =>
    Object.values(path),
  )
  expect(openapi).toBe('3.1.0')
  const names = operations.map(({ operationId }) => operationId)
  expect(new Set(names).size).toBe(operations.length)
  for (const operation of operations) {
    expect(operation).toMatchObject({
      operationId: expect.any(String),
      summary: expect.any(String),
      tags: [expect.any(String)],
    })
    expect(operation['responses']).toHaveProperty('default')
  }
})
