import { expect, test } from 'vitest'
import { failureOf } from '../../../kernel/index.ts'
import type { Gardener } from './gardener.ts'
import { lateGardener, withoutShoots } from './late-gardener.ts'

const signal = new AbortController().signal
const CATALOGUE = { regions: ['local'], versions: [], machineTypes: [], machineImages: [] }
const mock = { mode: 'mock', catalogue: async () => CATALOGUE } as unknown as Gardener

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => failureOf(error).code,
  )

test('a Gardener that is not open yet is unreachable, and answers once it is', async () => {
  const { gardener, become } = lateGardener('real')
  expect(gardener.mode).toBe('real')
  expect(await codeOf(gardener.catalogue(signal))).toBe('GardenerUnreachable')
  await expect(gardener.ping(signal)).rejects.toThrow('not connected to Gardener yet')
  become(mock)
  expect(await gardener.catalogue(signal)).toBe(CATALOGUE)
})

test('the mock of a process without a worker offers what can be ordered, and says why it knows no Shoot', async () => {
  const gardener = withoutShoots(mock)
  expect(await gardener.catalogue(signal)).toBe(CATALOGUE)
  await expect(gardener.find({ namespace: 'a', name: 'b' }, signal)).rejects.toThrow('in the memory of the worker')
  expect(await codeOf(gardener.adminKubeconfig({ namespace: 'a', name: 'b' }, 600, signal))).toBe('GardenerUnreachable')
})
