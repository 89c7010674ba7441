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
import { readKeyring } from '../helm/keyring.ts'
import type { Proof } from '../helm/provenance.ts'
import { findSource, listSources, lockSource, removeSource, writeSource, type StoredSource } from '../store/index.ts'
import type { ChartSource, FieldProblem } from '../types.ts'
import { open, seal, type KeyRing } from '../values/seal.ts'
import type { UseCaseDeps } from './deps.ts'
import type { ChartSourceInput } from './port.ts'

const DOOR = 'see and change where charts come from'
const PASSWORD = '/password'
const NO_KEYRING = {
  field: 'keyring',
  message: 'is missing: name the keys that sign; the platform has none of its own',
}
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

/** Replaces what is known of a host. A password that is left out stays with its user, and so do keys and their verification. */
export async function setChartSource(
  { pool, ring, platformKeyring }: UseCaseDeps,
  actor: Actor,
  host: string,
  input: ChartSourceInput,
): Promise<ChartSource> {
  needsAdmin(actor, DOOR)
  const { username = null, password, ca = null } = input
  const problems = [...hostProblems(host), ...caProblems(ca), ...keyringProblems(input.keyring ?? null)]
  if (username === null && password !== undefined) problems.push({ field: 'username', message: 'is missing' })
  if (problems.length > 0) throw new RefusedFields(problems)
  const hasKeyring = (await platformKeyring?.()) !== undefined
  return await asUser(pool, actor, async (tx) => {
    const before = await lockSource(tx, host)
    const id = before?.id ?? randomUUID()
    const kept = before?.username === username ? before.sealedPassword : null
    const sealedPassword = password === undefined ? kept : seal(needed(ring), id, PASSWORD, password)
    if (username !== null && sealedPassword === null) {
      throw new RefusedFields([{ field: 'password', message: 'is missing: none is known for this user' }])
    }
    // What protects is dropped by saying so, and not by forgetting it.
    const { verification = before?.verification ?? 'none', keyring = before?.keyring ?? null } = input
    if (verification === 'required' && keyring === null && !hasKeyring) throw new RefusedFields([NO_KEYRING])
    const written = await writeSource(tx, {
      id,
      host,
      username,
      ca,
      verification,
      keyring,
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

/** What holds for every source. */
export interface Provenance {
  readonly isRequired: boolean
  /** The keys where a source names none; read anew each time. */
  readonly keyring: () => Promise<string | undefined>
}

/** What charts of a host have to prove; empty: those of the local disk. */
export async function proofOf(find: FindSource, platform: Provenance, host: string): Promise<Proof | undefined> {
  const source = host === '' ? undefined : await find(host.toLowerCase())
  if (!platform.isRequired && source?.verification !== 'required') return undefined
  const keyring = source?.keyring ?? (await platform.keyring())
  if (keyring !== undefined) return { keyring }
  throw raise.ChartUnverified(`failed to verify charts of ${host || 'the local disk'}: no keyring is known for them`)
}

const shown = ({ id: _id, sealedPassword: _password, ...source }: StoredSource): ChartSource => source

function needed(ring: KeyRing | undefined): KeyRing {
  if (ring !== undefined) return ring
  throw raise.ValuesUnreadable('failed to seal or open the password of a chart source: CAELUS_VALUES_KEY is not set')
}

const hostProblems = (host: string): FieldProblem[] =>
  URL.parse(`https://${host}/`)?.host === host && /^[^/@?#]+$/.test(host)
    ? []
    : [{ field: 'host', message: 'must be a host in lower case, such as registry.example.com or 192.0.2.1:5000' }]

function keyringProblems(keyring: string | null): FieldProblem[] {
  const read = keyring === null ? undefined : readKeyring(keyring)
  return read !== undefined && 'problem' in read ? [{ field: 'keyring', message: read.problem }] : []
}

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
