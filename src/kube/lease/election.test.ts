import { describe, expect, test } from 'vitest'
import { seededRandom, service } from '../../kernel/index.ts'
import type { FaultPlan } from '../transport/faults.ts'
import { ahead, stage } from './election-stage.ts'

describe('leader election', () => {
  test('one candidate leads, and the others know its identity', async () => {
    const { clock, working, candidate, stop } = stage()
    const [a, b] = [candidate('a'), candidate('b')]
    await a.start()
    await b.start()
    await clock.advance(60_000)
    expect([...working]).toEqual(['a'])
    expect([a.leading, b.leading, a.leader, b.leader]).toEqual([true, false, 'a', 'a'])
    await stop(a, b)
    expect([...working]).toEqual([])
  })

  test('the next candidate leads at once when the leader stops in good order', async () => {
    const { clock, log, working, candidate, stop } = stage()
    const [a, b] = [candidate('a', { stopsInMs: 30_000 }), candidate('b')]
    await a.start()
    await b.start()
    await clock.advance(5_000)
    const stopping = a.stop()
    await clock.advance(29_000)
    expect([...working]).toEqual(['a'])
    await clock.advance(1_100)
    await stopping
    expect(log).toEqual(['a works', 'a rests', 'b works'])
    await stop(b)
  })

  test('the next candidate leads when the lease of a dead leader has expired', async () => {
    const { clock, working, candidate, stop } = stage()
    let dead = false
    const [a, b] = [candidate('a', { faults: () => (dead ? { fault: 'lost' } : undefined) }), candidate('b')]
    await a.start()
    await b.start()
    await clock.advance(5_000)
    dead = true
    await clock.advance(14_000)
    expect(working.has('b')).toBe(false)
    await clock.advance(6_000)
    expect([...working]).toEqual(['b'])
    await stop(a, b)
  })

  test('the term of a leader that cannot renew ends before another begins', async () => {
    const { clock, log, candidate, stop } = stage()
    let cut = false
    const faults: FaultPlan = () => (cut ? { fault: 'lost' } : undefined)
    const [a, b] = [candidate('a', { faults, stopsInMs: 4_000 }), candidate('b')]
    await a.start()
    await b.start()
    await clock.advance(5_000)
    cut = true
    await clock.advance(30_000)
    expect(log).toEqual(['a works', 'a lost: expired', 'a rests', 'b works'])
    await stop(a, b)
  })

  test('a renewal whose answer was lost does not end the term', async () => {
    const { clock, log, candidate, stop } = stage()
    let calls = 0
    const a = candidate('a', {
      faults: ({ method }) => (method === 'PUT' && ++calls % 3 === 1 ? { fault: 'unanswered' } : undefined),
    })
    await a.start()
    await clock.advance(120_000)
    expect(log).toEqual(['a works'])
    await stop(a)
  })

  test('clocks that differ between machines do not matter', async () => {
    const { clock, working, candidate, stop } = stage()
    const [a, b] = [candidate('a', { ahead: ahead(-3_600_000) }), candidate('b', { ahead: ahead(3_600_000) })]
    await a.start()
    await b.start()
    await clock.advance(120_000)
    expect([...working]).toEqual(['a'])
    await stop(a, b)
  })

  test('the election fails when services do not stop in time', async () => {
    const { clock, candidate } = stage()
    let cut = false
    const a = candidate('a', { faults: () => (cut ? { fault: 'lost' } : undefined), stopsInMs: 1e8 })
    await a.start()
    await clock.advance(5_000)
    cut = true
    const ended = expect(a.done).rejects.toThrow('leader election default/boss ended unexpectedly')
    await clock.advance(20_000)
    await ended
  })

  test('the election fails and frees the lease when a service fails', async () => {
    const { clock, working, candidate, stop } = stage()
    const broken = service('broken', () => Promise.reject(new Error('no disk')))
    const [a, b] = [candidate('a', { term: () => [broken] }), candidate('b')]
    const ended = expect(a.done).rejects.toThrow('ended unexpectedly')
    await a.start()
    await clock.advance(100)
    await ended
    await b.start()
    await clock.advance(3_000)
    expect([...working]).toEqual(['b'])
    await stop(b)
  })

  test('timings that cannot keep the promise are refused', () => {
    const { candidate } = stage()
    expect(() => candidate('a', { durationMs: 5_000, renewDeadlineMs: 6_000 })).toThrow(
      'durationMs (5000) must be greater than renewDeadlineMs (6000)',
    )
    expect(() => candidate('a', { renewDeadlineMs: 2_000 })).toThrow(
      'renewDeadlineMs (2000) must be greater than retryMs (2000)',
    )
  })

  test('two candidates never lead at once, whatever the network does', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, working, log, candidate, stop } = stage()
      const random = seededRandom(seed)
      const cut = new Set<string>()
      const names = ['a', 'bb', 'ccc']
      const elections = names.map((name) =>
        candidate(name, {
          ahead: ahead(Math.round((random() - 0.5) * 1e6)),
          stopsInMs: Math.round(random() * 4_000),
          faults() {
            if (cut.has(name)) return { fault: 'lost' }
            const drawn = random()
            if (drawn < 0.1) return { fault: 'unanswered' }
            if (drawn < 0.2) return { fault: 'twice' }
            return drawn < 0.3 ? { fault: 'late', ms: random() * 9_000 } : undefined
          },
        }),
      )
      await Promise.all(elections.map((election) => election.start().catch(() => {})).concat(clock.advance(100_000)))
      for (let turn = 0; turn < 60; turn++) {
        for (const name of names) if (random() < 0.2 && !cut.delete(name)) cut.add(name)
        await clock.advance(5_000)
      }
      expect(log.length, `seed ${seed}`).toBeGreaterThan(3)
      expect(
        log.filter((line) => line.includes('beside')),
        `seed ${seed}`,
      ).toEqual([])
      await stop(...elections)
      expect([...working]).toEqual([])
    }
  })
})
