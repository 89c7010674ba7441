import { failureOf } from '../../../kernel/index.ts'
import { asUser, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { openAll, sealAll, type KeyRing } from '../values/seal.ts'
import { lockSealedWithOthers, writeSealed } from '../store/index.ts'
import type { Deployment, SealedValues } from '../types.ts'
import { needsAdmin, note } from '../../../store/index.ts'
import type { Rotation } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

const BATCH = 100

/** Only rows that need it are looked at, so that running it again goes on where it stopped. */
export async function rotateValuesKey({ pool, ring }: UseCaseDeps, actor: Actor, batchSize = BATCH): Promise<Rotation> {
  needsAdmin(actor, 'rotate the key of write-only values')
  if (ring === undefined) throw raise.ValuesUnreadable('failed to rotate: CAELUS_VALUES_KEY is not set')
  let resealed = 0
  const unreadable: string[] = []
  for (let after: string | undefined; ;) {
    const batch = await asUser(pool, actor, async (tx) => {
      const rows = await lockSealedWithOthers(tx, ring.current, after, batchSize)
      const done: string[] = []
      for (const row of rows) {
        const sealedValues = resealedWith(ring, row)
        if (sealedValues === undefined) continue
        await writeSealed(tx, { id: row.id, sealedValues })
        done.push(row.id)
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
    if (batch.rows.length < batchSize) return { resealed, unreadable }
  }
}

function resealedWith(ring: KeyRing, { id, sealedValues }: Deployment): SealedValues | undefined {
  try {
    return sealAll(ring, id, openAll(ring, id, sealedValues), sealedValues)
  } catch (error) {
    if (failureOf(error).code === 'ValuesUnreadable') return undefined
    throw error
  }
}
