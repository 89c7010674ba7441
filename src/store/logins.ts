import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { Client, escapeIdentifier, escapeLiteral, type ClientBase } from 'pg'
import { classify, raise } from './failures.ts'
import { SINGLE_CONNECTION } from './pool.ts'
import { despiteConcurrency, unlessDone, type Role } from './roles.ts'

/** A role that a process logs in with. It owns nothing and is a member of one group role. */
export interface DatabaseLogin {
  readonly name: string
  readonly role: Role
  /** Absent: the server authenticates it in another way, such as a certificate. */
  readonly password?: string
}

/**
 * Creates logins, or gives existing ones their password. An existing role that may do more than a login of
 * this kind is refused.
 */
export async function createLogins(url: string, logins: readonly DatabaseLogin[]): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'caelus create logins', ...SINGLE_CONNECTION })
  client.on('error', () => {})
  try {
    await client.connect()
    for (const login of logins) await createLogin(client, login)
  } catch (error) {
    throw classify(error)
  } finally {
    await client.end().catch(() => {})
  }
}

async function createLogin(client: ClientBase, { name, role, password }: DatabaseLogin): Promise<void> {
  const login = escapeIdentifier(name)
  await unlessDone(client, `create role ${login} login`, 'select 1 from pg_roles where rolname = $1', [name])
  await refuseExcess(client, name, role)
  await unlessDone(client, `grant ${role} to ${login}`, `select 1 where pg_has_role($1, $2, 'member')`, [name, role])
  // The server receives a verifier: a password in a statement could end up in its log.
  if (password !== undefined) {
    const verifier = escapeLiteral(scramVerifier(name, password))
    await despiteConcurrency(() => client.query(`alter role ${login} login password ${verifier}`))
  }
}

interface Excess {
  readonly rights: string | null
  readonly owned: string | null
  readonly member: string | null
  readonly granted: string | null
  readonly settings: string | null
}

const EXCESS = `
  select
    nullif(concat_ws(', ', case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
      case when rolcreatedb then 'createdb' end, case when rolbypassrls then 'bypassrls' end,
      case when rolreplication then 'replication' end), '') as rights,
    (select string_agg(distinct case
        when s.dbid = 0 or b.datname = current_database() then pg_describe_object(s.classid, s.objid, s.objsubid)
        else 'objects of database ' || b.datname end, ', ')
     from pg_shdepend s left join pg_database b on b.oid = s.dbid
     where s.refclassid = 'pg_authid'::regclass and s.refobjid = r.oid and s.deptype = 'o') as owned,
    (select string_agg(m.roleid::regrole::text || case when m.admin_option then ' with admin option' else '' end, ', ')
     from pg_auth_members m
     where m.member = r.oid and (m.roleid::regrole::text <> $2 or m.admin_option)) as member,
    (select string_agg(distinct case
        when s.dbid = 0 or b.datname = current_database() then pg_describe_object(s.classid, s.objid, s.objsubid)
        else 'objects of database ' || b.datname end, ', ')
     from pg_shdepend s left join pg_database b on b.oid = s.dbid
     where s.refclassid = 'pg_authid'::regclass and s.refobjid = r.oid and s.deptype = 'a'
       and s.classid <> 'pg_database'::regclass) as granted,
    (select string_agg(setting, ', ') from pg_db_role_setting c cross join unnest(c.setconfig) setting
     where c.setrole = r.oid and setting ~ '^(caelus\\.|role=)') as settings
  from pg_roles r where rolname = $1`

async function refuseExcess(client: ClientBase, name: string, role: Role): Promise<void> {
  const { rows } = await client.query<Excess>(EXCESS, [name, role])
  const [row] = rows
  const { rights = null, owned = null, member = null, granted = null, settings = null } = row ?? {}
  const excess = [
    ...(rights === null ? [] : [`has ${rights}`]),
    ...(owned === null ? [] : [`owns ${owned}`]),
    ...(member === null ? [] : [`is a member of ${member}`]),
    ...(granted === null ? [] : [`has rights to ${granted}`]),
    ...(settings === null ? [] : [`has the settings ${settings}`]),
  ]
  if (excess.length > 0) throw raise.LoginTooPowerful(`role ${name} exists and ${excess.join(' and ')}`)
}

const ITERATIONS = 4096

/** What PostgreSQL stores for a password (RFC 5803). The password must be ASCII, which SASLprep leaves unchanged. */
export function scramVerifier(name: string, password: string, salt: Buffer = randomBytes(16)): string {
  if (!/^[\x21-\x7e]+$/.test(password)) {
    throw raise.LoginRefused(`the password of ${name} must be printable ASCII characters without spaces`)
  }
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest()
  const stored = createHash('sha256').update(keyed('Client Key')).digest()
  const base64 = (bytes: Buffer): string => bytes.toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${base64(salt)}$${base64(stored)}:${base64(keyed('Server Key'))}`
}

/** The login that a connection URL names. */
export function loginOf(url: string, role: Role): DatabaseLogin {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username === '') {
    throw raise.LoginRefused(
      `the connection URL for ${role} is not of the form postgres://login:password@host/database`,
    )
  }
  const password = decodeURIComponent(parsed.password)
  return { name: decodeURIComponent(parsed.username), role, ...(password !== '' && { password }) }
}

/** The same server and database as `url`, with another login. */
export function urlWithLogin(url: string, { name, password = '' }: Omit<DatabaseLogin, 'role'>): string {
  const changed = new URL(url)
  changed.username = encodeURIComponent(name)
  changed.password = encodeURIComponent(password)
  return changed.href
}
