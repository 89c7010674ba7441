import { expect, test } from 'vitest'
import { SerializationError, Table } from './table.ts'

interface Account {
  readonly id: string
  readonly money: number
}

test('a transaction that throws has changed nothing', async () => {
  const accounts = new Table<Account>()
  const failing = accounts.inTransaction(async (rows) => {
    rows.put('a', { id: 'a', money: 1 })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(accounts.committed()).toEqual([])
})

test('of two transactions that read and write the same row, one is refused', async () => {
  const accounts = new Table<Account>()
  await accounts.inTransaction(async (rows) => rows.put('a', { id: 'a', money: 1 }))
  const more = accounts.inTransaction(async (rows) => {
    const money = rows.get('a')?.money ?? 0
    await Promise.resolve()
    rows.put('a', { id: 'a', money: money + 1 })
  })
  const answers = await Promise.allSettled([
    more,
    accounts.inTransaction(async (rows) => rows.put('a', { id: 'a', money: 9 })),
  ])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect((answers[0] as PromiseRejectedResult).reason).toBeInstanceOf(SerializationError)
  expect(accounts.committed()).toEqual([{ id: 'a', money: 9 }])
})

test('a transaction sees its own writes, and a removed row is gone', async () => {
  const accounts = new Table<Account>()
  await accounts.inTransaction(async (rows) => {
    rows.put('a', { id: 'a', money: 1 })
    rows.put('b', { id: 'b', money: 2 })
    rows.remove('a')
    expect(rows.list().map(({ id }) => id)).toEqual(['b'])
  })
  expect(accounts.committed()).toEqual([{ id: 'b', money: 2 }])
})

test('a trigger sees each changed row, and what it throws rolls the transaction back', async () => {
  const accounts = new Table<Account>()
  const seen: unknown[] = []
  accounts.onChange(({ id, before, after }) => {
    if ((after?.money ?? 0) < 0) throw new Error('no debts')
    seen.push([id, before?.money, after?.money])
  })
  await accounts.inTransaction(async (rows) => rows.put('a', { id: 'a', money: 1 }))
  await accounts.inTransaction(async (rows) => rows.put('a', { id: 'a', money: 2 }))
  await expect(accounts.inTransaction(async (rows) => rows.put('a', { id: 'a', money: -1 }))).rejects.toThrow('debts')
  expect(seen).toEqual([
    ['a', undefined, 1],
    ['a', 1, 2],
  ])
  expect(accounts.committed()).toEqual([{ id: 'a', money: 2 }])
  expect(accounts.version()).toBe(2)
})
