import { expect, test } from 'vitest'
import { manualClock, type LockAnswer, type TargetLocks } from '../../kernel/index.ts'
import { holding, TargetHeld } from './target-locks.ts'

/** Answers as `answers` says, and not before all of the targets were asked for. */
function locksOf(answers: Readonly<Record<string, 'free' | 'taken' | 'broken'>>) {
  const held = new Set<string>()
  const asked = new Set<string>()
  const all = Promise.withResolvers<void>()
  let keeps = true
  const locks: TargetLocks = {
    async acquire(target): Promise<LockAnswer> {
      asked.add(target)
      if (asked.size === Object.keys(answers).length) all.resolve()
      await all.promise
      if (answers[target] === 'broken') throw new Error('the API server is away')
      if (answers[target] === 'taken') return { held: false, by: 'actions/7', until: 9_000 }
      held.add(target)
      return {
        held: true,
        lock: { target, fence: 1, renew: async () => keeps, release: async () => void held.delete(target) },
      }
    },
  }
  return { locks, held, lose: () => (keeps = false) }
}

const lockingWith = (locks: TargetLocks, clock = manualClock()) => ({
  locks,
  clock,
  holder: 'apps/1',
  signal: new AbortController().signal,
})

test('all targets are asked for at once, and given back after the work', async () => {
  const { locks, held } = locksOf({ a: 'free', b: 'free', c: 'free' })
  const during = await holding(lockingWith(locks), ['a', 'b', 'c'], async () => [...held])
  expect(during).toEqual(['a', 'b', 'c'])
  expect([...held]).toEqual([])
})

test('what was got is given back when another has one of them, and the work does not begin', async () => {
  const { locks, held } = locksOf({ a: 'free', b: 'taken', c: 'free' })
  const work = holding(lockingWith(locks), ['a', 'b', 'c'], () => Promise.reject(new Error('it began')))
  await expect(work).rejects.toThrow('b is held by actions/7')
  await expect(work).rejects.toBeInstanceOf(TargetHeld)
  expect([...held]).toEqual([])
})

test('what was got is given back when one cannot be asked for', async () => {
  const { locks, held } = locksOf({ a: 'free', b: 'broken' })
  await expect(holding(lockingWith(locks), ['a', 'b'], async () => {})).rejects.toThrow('the API server is away')
  expect([...held]).toEqual([])
})

test('the work is told when a lock was lost', async () => {
  const { locks, lose } = locksOf({ a: 'free', b: 'free' })
  const clock = manualClock()
  const work = holding(lockingWith(locks, clock), ['a', 'b'], async (signal) => {
    lose()
    await clock.advance(15_000)
    signal.throwIfAborted()
  })
  await expect(work).rejects.toThrow('was lost')
})
