import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { hashOf, loginStore, newTokenSecret, tokenStore } from '../../identity/index.ts'
import { createLogins, urlWithLogin, type DatabaseLogin, type Pool, type Role } from '../../store/index.ts'
import { keptText } from './kept-file.ts'
import { loginFileIn, readLocalLogin } from './login-file.ts'

/** The user of commands on this machine; the development login with the same email is the same user. */
export const LOCAL_ADMIN = 'admin@caelus.local'

/** Makes a user an admin and creates an API token for them. */
export async function issueAdminToken(pool: Pool, email: string, subject: string, name: string): Promise<string> {
  const user = await loginStore(pool).signIn({ subject, email, isVerified: true, role: 'admin' })
  if (user === undefined)
    throw new Error(`failed to make ${email} an admin: the email belongs to a user who logs in another way`)
  const { secret, hash, prefix } = newTokenSecret()
  await tokenStore(pool).add({ userId: user.id, name, role: 'admin', prefix, hash, expiresAt: null })
  return secret
}

/**
 * Writes the server's URL and a token to a file that only its owner can read. A valid token of an earlier
 * start is kept.
 */
export async function writeLocalLogin(pool: Pool, dataDir: string, url: string): Promise<void> {
  const before = await readLocalLogin(dataDir)
  const token =
    before?.token !== undefined && (await works(pool, before.token)) ? before.token : await newLocalToken(pool)
  await writeFile(loginFileIn(dataDir), `${JSON.stringify({ url, token }, null, 2)}\n`, { mode: 0o600 })
}

const newLocalToken = (pool: Pool): Promise<string> =>
  issueAdminToken(pool, LOCAL_ADMIN, `dev#${LOCAL_ADMIN}`, 'commands on this machine')

async function works(pool: Pool, token: string): Promise<boolean> {
  const found = await tokenStore(pool).findByHash(hashOf(token))
  return found !== undefined && found.token.revokedAt === null
}

/**
 * The connection URLs of API and workers, as logins that own nothing. Their passwords are kept on disk; the
 * server is ours.
 */
export async function localLogins(url: string, dataDir: string): Promise<{ api: string; worker: string }> {
  const loginFor = async (role: Role): Promise<DatabaseLogin> => ({
    name: `${role}_login`,
    role,
    password: await keptText(dataDir, `${role}-password`, () => randomBytes(24).toString('base64url')),
  })
  const [api, worker] = [await loginFor('caelus_api'), await loginFor('caelus_worker')]
  await createLogins(url, [api, worker])
  return { api: urlWithLogin(url, api), worker: urlWithLogin(url, worker) }
}
