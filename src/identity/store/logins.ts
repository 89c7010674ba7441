import type { Pool } from '../../store/index.ts'
import type { Logins, Principal } from '../types.ts'

interface PrincipalRow {
  readonly id: string
  readonly email: string
  readonly is_admin: boolean
  readonly sessions_from: Date | number
}

/** The driver returns ±Infinity for infinite timestamps. */
const FROM_THE_BEGINNING = new Date(0)

export const principalOf = (row: PrincipalRow): Principal => ({
  id: row.id,
  email: row.email,
  role: row.is_admin ? 'admin' : 'member',
  sessionsFrom: row.sessions_from instanceof Date ? row.sessions_from : FROM_THE_BEGINNING,
})

/** A login accepts the open invitations of its email. */
const SIGN_IN = `
  select u.*, case when $3 then tenant.accept_invitations_of(u.id, u.email) end from caelus.sign_in($1, $2, $3, $4) u`

/** Users before they are known as callers, through functions of the database. */
export const loginStore = (pool: Pool): Logins => ({
  async signIn({ subject, email, isVerified, role }) {
    const admin = role === undefined ? null : role === 'admin'
    const [row] = await pool.query<PrincipalRow>(SIGN_IN, [subject, email ?? null, isVerified, admin])
    return row && principalOf(row)
  },
  async get(id) {
    const [row] = await pool.query<PrincipalRow>('select * from caelus.find_user($1)', [id])
    return row && principalOf(row)
  },
  async signOut(id, now) {
    await pool.query('select caelus.sign_out($1, $2)', [id, new Date(now)])
  },
})
