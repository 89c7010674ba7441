import { expect, test } from 'vitest'
import type { Service } from '../src/kernel/index.ts'
import { NO_FAULTS } from './faults.ts'
import { World } from './world.ts'

const serviceThat = (done: Promise<void>): Service => ({
  name: 'work',
  start: async () => {},
  stop: async () => {},
  done,
})

async function pass(world: World, ms: number): Promise<void> {
  const end = world.clock.now() + ms
  while (await world.clock.step(end)) {
    // To the given time.
  }
}

test.each([
  ['returns', () => Promise.resolve()],
  ['fails', () => Promise.reject(new Error('work ended by itself'))],
])('a service that %s by itself ends its process, which starts again', async (_, done) => {
  const world = new World({ seed: 1, faults: NO_FAULTS })
  let starts = 0
  world.process('p', () => (starts++, [serviceThat(done())]), { replicas: 1 })
  await pass(world, 20_000)
  expect(starts).toBeGreaterThan(2)
  expect(world.timeline.lines.join('\n')).toContain('ends: Error: work ended by itself')
})

test('every process has two replicas, and after the faults sometimes only one of them is left', async () => {
  const left = new Set<number>()
  for (let seed = 1; seed <= 10; seed++) {
    const world = new World({ seed, faults: NO_FAULTS })
    const running = new Set<string>()
    world.process('p', ({ name, clock }) => {
      const beat = (): void => {
        running.add(name)
        clock.after(1_000, beat)
      }
      beat()
      return [serviceThat(new Promise(() => {}))]
    })
    await pass(world, 5_000)
    expect([...running].toSorted()).toEqual(['p-1#1', 'p-2#1'])
    world.calm()
    running.clear()
    await pass(world, 5_000)
    left.add(running.size)
  }
  expect(left).toEqual(new Set([1, 2]))
})

test('a write to a table is a write to the world, and the secret in a row is found', async () => {
  const world = new World({ seed: 1, faults: NO_FAULTS })
  const table = world.table<{ readonly text: string }>(({ after }) => after?.text !== 'checked')
  const versions = (): number[] => [world.version, world.versionOfWork]
  const [version = 0, work = 0] = versions()
  await table.inTransaction(async (rows) => rows.put('a', { text: 'checked' }))
  expect(versions()).toEqual([version + 1, work])
  await table.inTransaction(async (rows) => rows.put('a', { text: 's3ntinel"' }))
  expect(versions()).toEqual([version + 2, work + 1])
  world.checkSecrets()
  expect(world.standing.broken?.law).toBe('no secret leaves')
})
