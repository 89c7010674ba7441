import { expect, test } from 'vitest'
import { singular } from './ListField.tsx'
import { refusalsOf } from './refusals.ts'

test('what the server refused is sorted by where it belongs', () => {
  const { fields, plain } = refusalsOf({
    errors: [
      { field: '/user/people/0/name', message: 'a' },
      { field: 'user_values.people[1].name', message: 'b' },
      { field: 'domainname', message: 'c' },
      { field: '/user', message: 'd' },
    ],
  })
  expect(Object.fromEntries(fields)).toEqual({ '/people/0/name': 'a', '/people/1/name': 'b', '': 'd' })
  expect(Object.fromEntries(plain)).toEqual({ domainname: 'c' })
  expect(refusalsOf({}).fields.size).toBe(0)
})

test('one of several is called by its singular', () => {
  expect(['Entries', 'Hosts', 'Addresses', 'Boxes', 'Access', 'Status', 'Data', ''].map(singular)).toEqual([
    'Entry',
    'Host',
    'Address',
    'Box',
    'Access',
    'Status',
    'Data',
    'Item',
  ])
})
