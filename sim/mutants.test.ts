import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readMutants, whyNotApplicable } from './mutants.ts'
import { SCENARIOS } from './scenarios/index.ts'

const mutants = readMutants()

test('there are at least 30 planted bugs', () => expect(mutants.length).toBeGreaterThanOrEqual(30))

test.each(mutants)('$name applies, and names what finds it', (mutant) => {
  expect(whyNotApplicable(mutant)).toBeUndefined()
  expect(mutant.breaks).toMatch(/^[A-Z].*\.$/)
  const scenario = /^sim (\S+)$/.exec(mutant.foundBy)?.[1]
  if (scenario === undefined) expect(mutant.foundBy.split(' ').filter((file) => !existsSync(file))).toEqual([])
  else expect(SCENARIOS.map(({ name }) => name)).toContain(scenario)
})
