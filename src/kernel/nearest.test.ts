import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

test.each([
  ['nmae', ['version', 'name'], 'name'],
  ['CAELUS_PROT', ['CAELUS_PORT', 'CAELUS_HOST'], 'CAELUS_PORT'],
  ['class', ['classes', 'deployments'], 'classes'],
  ['x', ['key'], undefined],
  ['entirely else', ['name'], undefined],
  ['name', [], undefined],
])('%s among %j is meant as %s', (written, known, meant) => {
  expect(nearest(written, known)).toBe(meant)
})
