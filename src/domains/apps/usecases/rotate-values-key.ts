import { failureOf } from '../../../kernel/index.ts'
import { asUser, type Actor, type Pool, type Tx } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { isSealedWithCurrent, open, seal, type KeyRing } from '../values/seal.ts'
import {
  allSources,
  lockSealedWithOthers,
  sealedRevisions,
  writeSealed,
  writeSealedRevision,
  writeSource,
} from '../store/index.ts'
import type { Deployment, SealedValues } from '../types.ts'
import { needsAdmin, note } from '../../../store/index.ts'
import type { Rotation } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

const BATCH = 100

/** Only rows that need it are looked at, so that running it again goes on where it stopped. */
export async function rotateValuesKey({ pool, ring }: UseCaseDeps, actor: Actor, batchSize = BATCH): Promise<Rotation> {
  needsAdmin(actor, 'rotate the key of write-only values')
  if (ring === undefined) throw raise.ValuesUnreadable('failed to rotate: CAELUS_VALUES_KEY is not set')
  const sources = await resealSources(pool, actor, ring)
  let resealed = 0
  const unreadable: string[] = [...sources.unreadable]
  for (let after: string | undefined; ;) {
    const batch = await asUser(pool, actor, async (tx) => {
      const rows = await lockSealedWithOthers(tx, ring.current, after, batchSize)
      const done: string[] = []
      for (const row of rows) {
        if (await resealDeployment(tx, ring, row)) done.push(row.id)
      }
      if (done.length > 0) {
        const detail = { key: ring.current, deployments: done.length }
        await note(tx, actor, { action: 'resealed', object: { kind: 'ValuesKey', id: ring.current }, detail })
      }
      return { rows, done }
    })
    resealed += batch.done.length
    unreadable.push(...batch.rows.map(({ id }) => id).filter((id) => !batch.done.includes(id)))
    after = batch.rows.at(-1)?.id
    if (batch.rows.length < batchSize) break
  }
  return { resealed, unreadable }
}

/** The passwords of chart sources; few, so in one transaction. */
async function resealSources(pool: Pool, actor: Actor, ring: KeyRing): Promise<Pick<Rotation, 'unreadable'>> {
  return await asUser(pool, actor, async (tx) => {
    const unreadable: string[] = []
    for (const { id, host, sealedPassword, ...source } of await allSources(tx)) {
      if (sealedPassword === null || isSealedWithCurrent(ring, { '/password': sealedPassword })) continue
      const sealed = resealedWith(ring, { id, sealedValues: { '/password': sealedPassword } })
      if (sealed === undefined) unreadable.push(host)
      else await writeSource(tx, { ...source, id, host, sealedPassword: sealed['/password'] ?? null })
    }
    return { unreadable }
  })
}

/** With its history. False: something of it is left as it was, because no key opens it. */
async function resealDeployment(tx: Tx, ring: KeyRing, { id, sealedValues }: Sealed): Promise<boolean> {
  // What was the same envelope stays the same one: a history tells by them what changed.
  const known = new Map<string, string>()
  const row = resealedWith(ring, { id, sealedValues }, known)
  if (row !== undefined) await writeSealed(tx, { id, sealedValues: row })
  let isDone = row !== undefined
  for (const { generation, sealedValues: kept } of await sealedRevisions(tx, id)) {
    const anew = resealedWith(ring, { id, sealedValues: kept }, known)
    if (anew === undefined) isDone = false
    else await writeSealedRevision(tx, id, { generation, sealedValues: anew })
  }
  return isDone
}

type Sealed = Pick<Deployment, 'id' | 'sealedValues'>

function resealedWith(
  ring: KeyRing,
  { id, sealedValues }: Sealed,
  known = new Map<string, string>(),
): SealedValues | undefined {
  try {
    return Object.fromEntries(
      Object.entries(sealedValues).map(([pointer, envelope]) => {
        const anew = known.get(envelope) ?? resealed(ring, id, pointer, envelope)
        known.set(envelope, anew)
        return [pointer, anew]
      }),
    )
  } catch (error) {
    if (failureOf(error).code === 'ValuesUnreadable') return undefined
    throw error
  }
}

const resealed = (ring: KeyRing, id: string, pointer: string, envelope: string): string =>
  isSealedWithCurrent(ring, { [pointer]: envelope })
    ? envelope
    : seal(ring, id, pointer, open(ring, id, pointer, envelope))
