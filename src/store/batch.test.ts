import { expect, test } from 'vitest'
import { Batch } from './batch.ts'

/** A batch whose statements end when the test says so. */
function held(lanes: number) {
  const statements: { items: readonly number[]; end: PromiseWithResolvers<void> }[] = []
  const batch = new Batch<number, number>(
    async (items) => {
      const end = Promise.withResolvers<void>()
      statements.push({ items, end })
      await end.promise
      return items.map((item) => item * 10)
    },
    { lanes, max: 3 },
  )
  return { batch, statements }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('calls of one turn share a statement, and each gets its own answer', async () => {
  const { batch, statements } = held(1)
  const answers = Promise.all([batch.add(1), batch.add(2)])
  await turn()
  expect(statements.map(({ items }) => items)).toEqual([[1, 2]])
  statements[0]?.end.resolve()
  expect(await answers).toEqual([10, 20])
})

test('calls made while a statement is under way go together in the next ones, none too big', async () => {
  const { batch, statements } = held(1)
  const answers = [batch.add(1)]
  await turn()
  answers.push(...[2, 3, 4, 5].map((item) => batch.add(item)))
  await turn()
  expect(statements).toHaveLength(1)
  for (let i = 0; i < 3; i++) {
    statements[i]?.end.resolve()
    await turn()
    await turn()
  }
  expect(statements.map(({ items }) => items)).toEqual([[1], [2, 3, 4], [5]])
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50])
})

test('a statement that fails fails its own calls and no others', async () => {
  const { batch, statements } = held(1)
  const first = batch.add(1)
  await turn()
  const second = batch.add(2)
  statements[0]?.end.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await turn()
  statements[1]?.end.resolve()
  expect(await second).toBe(20)
})

test('a slow statement does not hold up the next while there is a lane', async () => {
  const { batch, statements } = held(2)
  const slow = batch.add(1)
  await turn()
  const quick = batch.add(2)
  await turn()
  statements[1]?.end.resolve()
  expect(await quick).toBe(20)
  statements[0]?.end.resolve()
  expect(await slow).toBe(10)
})
