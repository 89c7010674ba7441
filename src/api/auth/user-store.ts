import type { Pool } from '../../store/index.ts'
import type { User, Users } from './identity.ts'

interface UserRow {
  readonly id: string
  readonly email: string
  readonly is_admin: boolean
  readonly sessions_from: Date | number
}

/** The driver gives ±Infinity for PostgreSQL's infinite times. */
const FROM_THE_BEGINNING = new Date(0)

export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  role: row.is_admin ? 'admin' : 'member',
  sessionsFrom: row.sessions_from instanceof Date ? row.sessions_from : FROM_THE_BEGINNING,
})

/** Users before they are known as callers, through the functions of migration 0005-login. */
export const userStore = (pool: Pool): Users => ({
  async signIn({ subject, email, role }) {
    const admin = role === undefined ? null : role === 'admin'
    const [row] = await pool.query<UserRow>('select * from caelus.sign_in($1, $2, $3)', [subject, email, admin])
    return row && toUser(row)
  },
  async get(id) {
    const [row] = await pool.query<UserRow>('select * from caelus.find_user($1)', [id])
    return row && toUser(row)
  },
  async signOut(id, now) {
    await pool.query('select caelus.sign_out($1, $2)', [id, new Date(now)])
  },
})
