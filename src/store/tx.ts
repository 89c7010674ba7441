import { AsyncLocalStorage } from 'node:async_hooks'
import { failureOf } from '../kernel/index.ts'
import type { Pool, Runner, Session } from './pool.ts'

/** An open transaction. A function that takes one cannot be called outside of one. */
export interface Tx extends Runner {
  readonly open: true
  /** Called once the transaction is committed; never when it is rolled back. Must not throw. */
  afterCommit(fn: () => void): void
}

export interface TxOptions {
  /** @default 'read committed' */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** How often it is tried when other transactions are in its way. @default 3 */
  readonly attempts?: number
}

const open = new AsyncLocalStorage<true>()

/**
 * Whether the caller runs inside a transaction. A remote call made there would hold rows and the vacuum horizon for as
 * long as the other side likes, so whoever assembles clients refuses it.
 */
export const insideTransaction = (): boolean => open.getStore() === true

/** Runs `work` in one transaction, again from the start when it met a serialization failure or a deadlock. */
export async function inTx<T>(pool: Pool, work: (tx: Tx) => Promise<T>, options: TxOptions = {}): Promise<T> {
  const { isolation = 'read committed', attempts = 3 } = options
  for (let attempt = 1; ; attempt++) {
    const session = await pool.connect()
    try {
      return await once(session, work, isolation)
    } catch (error) {
      if (attempt >= attempts || failureOf(error).code !== 'DatabaseConflict') throw error
    }
  }
}

async function once<T>(session: Session, work: (tx: Tx) => Promise<T>, isolation: string): Promise<T> {
  const committed: (() => void)[] = []
  const tx: Tx = {
    open: true,
    query: (text, values) => session.query(text, values),
    afterCommit: (fn) => void committed.push(fn),
  }
  let answer: T
  try {
    await session.query(`begin isolation level ${isolation}`)
    answer = await open.run(true, () => work(tx))
    await session.query('commit')
  } catch (error) {
    // A connection that cannot even roll back is closed, which rolls back.
    const broken = await session.query('rollback').then(
      () => undefined,
      (cause: unknown) => new Error('failed to roll back', { cause }),
    )
    session.release(broken)
    throw error
  }
  session.release()
  for (const fn of committed) fn()
  return answer
}
