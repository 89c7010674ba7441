import { expect, test } from 'vitest'
import { eventRing, statusBoard } from '../../api/index.ts'
import { systemClock } from '../../kernel/index.ts'
import { untilConverged } from './converged.ts'

const WELL = { health: 'ok', message: '', version: null } as const
const domain = (health: 'ok' | 'preparing' | 'degraded', notReady = 0) =>
  ({ enabled: true, health, message: '', objects: 2, not_ready: notReady }) as const
const demo = (ready: 'True' | 'False') =>
  [{ kind: 'Echo', id: 'a/b', ready, reason: '', message: '', since: '2026-01-01T00:00:00Z' }] as const

const outcomeNow = async (waiting: Promise<boolean>): Promise<boolean | 'waiting'> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  return await Promise.race([waiting, Promise.resolve('waiting' as const)])
}

function watched() {
  const events = eventRing(systemClock)
  const board = statusBoard({ version: 'test', clock: systemClock, events })
  const stopped = new AbortController()
  board.component('postgresql', WELL)
  board.component('kubernetes', { ...WELL, health: 'disabled' })
  return {
    board,
    stopped,
    start: (troubled = 0) => untilConverged(board, events, stopped.signal, new Map([['apps', troubled]])),
  }
}

test('it has converged when components, domains and demo are as desired, and domains that do not run are ignored', async () => {
  const { board, start } = watched()
  board.domain('apps', domain('preparing'))
  board.demo(demo('False'))
  const waiting = start()
  expect(await outcomeNow(waiting)).toBe('waiting')
  board.domain('apps', domain('ok', 1))
  expect(await outcomeNow(waiting)).toBe('waiting')
  board.domain('apps', domain('ok'))
  expect(await outcomeNow(waiting)).toBe('waiting')
  board.demo(demo('True'))
  expect(await outcomeNow(waiting)).toBe(true)
})

test('a component that is being prepared keeps it waiting, and a stop ends the wait', async () => {
  const { board, stopped, start } = watched()
  board.component('helm', { ...WELL, health: 'preparing' })
  const waiting = start()
  expect(await outcomeNow(waiting)).toBe('waiting')
  stopped.abort()
  expect(await outcomeNow(waiting)).toBe(false)
})

test('objects that are in an error on purpose do not keep it waiting, and no more than those', async () => {
  const { board, start } = watched()
  board.domain('apps', domain('degraded', 2))
  const waiting = start(1)
  expect(await outcomeNow(waiting)).toBe('waiting')
  board.domain('apps', domain('preparing', 1))
  expect(await outcomeNow(waiting)).toBe('waiting')
  board.domain('apps', domain('degraded', 1))
  expect(await outcomeNow(waiting)).toBe(true)
})
