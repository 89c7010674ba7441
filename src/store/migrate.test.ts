import { expect, test } from 'vitest'
import { pendingOf, type Migration } from './migrate.ts'

const file = (name: string, checksum = name): Migration => ({ name, sql: '', checksum })

test('what has not run yet is pending, in order', () => {
  expect(pendingOf([file('0001-a'), file('0002-b'), file('0003-c')], [file('0001-a')])).toEqual([
    file('0002-b'),
    file('0003-c'),
  ])
})

test('a migration that was slipped in before one that has run is refused', () => {
  expect(() =>
    pendingOf([file('0001-a'), file('0002-late'), file('0003-c')], [file('0001-a'), file('0003-c')]),
  ).toThrow('migration 0002-late comes before 0003-c, which has already run: give it a higher number')
})
