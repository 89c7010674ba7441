import { X509Certificate, randomUUID } from 'node:crypto'
import { RefusedFields } from '../../../kernel/index.ts'
import {
  asUser,
  found,
  needsAdmin,
  note,
  type Actor,
  type Listed,
  type PageOptions,
  type Pool,
} from '../../../store/index.ts'
import { raise } from '../failures.ts'
import type { Access } from '../helm/download.ts'
import { findSource, listSources, lockSource, removeSource, writeSource, type StoredSource } from '../store/index.ts'
import type { ChartSource, FieldProblem } from '../types.ts'
import { open, seal, type KeyRing } from '../values/seal.ts'
import type { UseCaseDeps } from './deps.ts'
import type { ChartSourceInput } from './port.ts'

const DOOR = 'see and change where charts come from'
const PASSWORD = '/password'
const objectOf = (host: string) => ({ kind: 'ChartSource', id: host })

export async function listChartSources(
  { pool }: UseCaseDeps,
  actor: Actor,
  page: PageOptions,
): Promise<Listed<ChartSource>> {
  needsAdmin(actor, DOOR)
  const { items, ...rest } = await asUser(pool, actor, (tx) => listSources(tx, page))
  return { ...rest, items: items.map(shown) }
}

/** Replaces what is known of a host. A password that is left out stays with its user. */
export async function setChartSource(
  { pool, ring }: UseCaseDeps,
  actor: Actor,
  host: string,
  input: ChartSourceInput,
): Promise<ChartSource> {
  needsAdmin(actor, DOOR)
  const { username = null, password, ca = null } = input
  const problems = [...hostProblems(host), ...caProblems(ca)]
  if (username === null && password !== undefined) problems.push({ field: 'username', message: 'is missing' })
  if (problems.length > 0) throw new RefusedFields(problems)
  return await asUser(pool, actor, async (tx) => {
    const before = await lockSource(tx, host)
    const id = before?.id ?? randomUUID()
    const kept = before?.username === username ? before.sealedPassword : null
    const sealedPassword = password === undefined ? kept : seal(needed(ring), id, PASSWORD, password)
    if (username !== null && sealedPassword === null) {
      throw new RefusedFields([{ field: 'password', message: 'is missing: none is known for this user' }])
    }
    const written = await writeSource(tx, {
      id,
      host,
      username,
      ca,
      sealedPassword: username === null ? null : sealedPassword,
    })
    await note(tx, actor, { action: before === undefined ? 'created' : 'changed', object: objectOf(host) })
    return shown(written)
  })
}

export async function deleteChartSource({ pool }: UseCaseDeps, actor: Actor, host: string): Promise<void> {
  needsAdmin(actor, DOOR)
  await asUser(pool, actor, async (tx) => {
    const source = found(await lockSource(tx, host), 'chart source', host)
    await removeSource(tx, source.id)
    await note(tx, actor, { action: 'deleted', object: objectOf(host) })
  })
}

export type FindSource = (host: string) => Promise<StoredSource | undefined>

/** For a process that reads as the API: on behalf of the platform itself. */
export const sourcesOfApi =
  (pool: Pool): FindSource =>
  (host) =>
    asUser(pool, { admin: true }, (tx) => findSource(tx, host))

export const sourcesOfWorker =
  (pool: Pool): FindSource =>
  (host) =>
    findSource(pool, host)

/** What charts of a host are fetched with. */
export async function accessTo(find: FindSource, ring: KeyRing | undefined, host: string): Promise<Access | undefined> {
  const source = await find(host.toLowerCase())
  if (source === undefined) return undefined
  const { id, username, sealedPassword, ca } = source
  const password = sealedPassword === null ? undefined : open(needed(ring), id, PASSWORD, sealedPassword)
  return {
    ...(username !== null && typeof password === 'string' && { username, password }),
    ...(ca !== null && { ca }),
  }
}

const shown = ({ host, username, ca, updatedAt }: ChartSource): ChartSource => ({ host, username, ca, updatedAt })

function needed(ring: KeyRing | undefined): KeyRing {
  if (ring !== undefined) return ring
  throw raise.ValuesUnreadable('failed to seal or open the password of a chart source: CAELUS_VALUES_KEY is not set')
}

const hostProblems = (host: string): FieldProblem[] =>
  URL.parse(`https://${host}/`)?.host === host && /^[^/@?#]+$/.test(host)
    ? []
    : [{ field: 'host', message: 'must be a host in lower case, such as registry.example.com or 192.0.2.1:5000' }]

function caProblems(ca: string | null): FieldProblem[] {
  if (ca === null) return []
  const certificates = ca.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  const isReadable = (pem: string): boolean => {
    try {
      return new X509Certificate(pem).ca
    } catch {
      return false
    }
  }
  return certificates.length > 0 && certificates.every(isReadable)
    ? []
    : [{ field: 'ca', message: 'must be certificates of authorities, in PEM' }]
}
