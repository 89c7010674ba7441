import { expect, test } from 'vitest'
import { serverAccount } from './files.ts'

test('a uid without a passwd entry is refused with the advice to set DATABASE_URL', () => {
  const unknown = (): never => {
    throw new Error('ENOENT: no such file or directory, uv_os_get_passwd')
  }
  expect(() => serverAccount(54_321, unknown)).toThrow(/uid 54321 has no entry in the user database.*set DATABASE_URL/)
})

test('root runs the server as an unprivileged account', () => {
  expect(['postgres', 'nobody']).toContain(serverAccount(0).name)
})
