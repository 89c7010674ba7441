import { expect, test } from 'vitest'
import { writeCursor } from '../../src/api/http/paging.ts'
import { world } from './world.ts'

const NUL = 'a%00b'
/** Cursors of other lists, and of none. */
const CURSORS = [
  ['x', 'y'],
  ['2030-01-01T00:00:00Z', 'y'],
  ['x', '123e4567-e89b-42d3-a456-426614174000'],
  ['a\0b', 'y'],
  ['1', '123e4567-e89b-42d3-a456-426614174000'],
  ['0000-01-01T00:00:00.000Z', '123e4567-e89b-42d3-a456-426614174000'],
  ['x'],
  ['9'.repeat(30)],
].map((key) => writeCursor(key))

test('a text that cannot be stored, and a cursor of another list, are refused with the field that is to blame', async () => {
  await using w = await world()
  const { secret } = await w.person('admin')
  const cases: (readonly [field: string, method: 'GET' | 'POST', path: string, payload?: object])[] = [
    ['name', 'POST', '/tokens', { name: 'a\0b', role: 'member' }],
    ['name', 'POST', '/tokens', { name: 'a\ud800b', role: 'member' }],
    ['controller', 'GET', `/decisions?controller=${NUL}`],
    ['kind', 'GET', `/decisions?kind=${NUL}`],
    ['object_id', 'GET', `/decisions?object_id=${NUL}`],
    ['name', 'GET', `/organizations?name=${NUL}`],
    ['email', 'GET', `/users?email=${NUL}`],
    ...['/tokens', '/users', '/organizations', '/decisions', '/events'].flatMap((path) =>
      CURSORS.map((cursor) => ['cursor', 'GET', `${path}?cursor=${cursor}`] as const),
    ),
  ]
  for (const [field, method, path, payload] of cases) {
    const answer = await w.as(secret, { method, url: `/api/v1${path}`, ...(payload && { payload }) })
    const refused = { status: answer.statusCode, code: answer.json().code, field: answer.json().errors?.[0]?.field }
    expect.soft(refused, `${method} ${path}`).toEqual({ status: 400, code: 'InvalidRequest', field })
  }
})
