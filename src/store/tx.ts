import { AsyncLocalStorage } from 'node:async_hooks'
import { failureOf } from '../kernel/index.ts'
import type { Pool, Runner, Session } from './pool.ts'

/** An open transaction. A function with this parameter cannot be called outside of one. */
export interface Tx extends Runner {
  readonly open: true
  /** Calls `fn` after the commit, and never after a rollback. `fn` must not throw. */
  afterCommit(fn: () => void): void
}

export interface TxOptions {
  /** @default 'read committed' */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** Most attempts when transactions conflict. @default 3 */
  readonly attempts?: number
}

const open = new AsyncLocalStorage<true>()

/**
 * Whether the caller runs inside a transaction. A remote call there would keep row locks and the vacuum
 * horizon until the other side responds, so the processes refuse it (`outsideTransactions`).
 */
export const insideTransaction = (): boolean => open.getStore() === true

/** Runs `work` in one transaction, and repeats it after a serialization failure or a deadlock. */
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
    // If the rollback fails, closing the connection rolls back.
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
