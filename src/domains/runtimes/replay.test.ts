import { expect, test } from 'vitest'
import { replayed } from '../../../test/support/replay.ts'
import { decide } from './decide.ts'
import { available, fn, SPEC } from './fake/cart.ts'
import { looking, play, rewritten, rolledOut, SETTINGS, worldOf, type World } from './fake/world.ts'
import { hiding } from './masking.ts'
import { replays } from './replay.ts'
import type { RuntimesSettings } from './settings.ts'

const configured = (config: Record<string, string>) => ({ ...SPEC, functions: [{ ...fn('checkout'), config }] })

const replayOf = ({ seen, now }: World, { settings = SETTINGS, decided = decide(seen, settings, now) } = {}) =>
  replayed('runtimes', { input: { seen, settings }, decision: decided, at: now, ...hiding(seen.runtime) }, replays)

test('a secret that was changed is compared by its fingerprint', () => {
  const old = play(rolledOut(play(worldOf(configured({ PASSWORD: 'an old secret' }))).world)).world
  const changed = rewritten(old, configured({ PASSWORD: 'a new secret' }))
  const { actions } = decide(changed.seen, SETTINGS, changed.now)
  expect(actions.map(({ do: what }) => what)).toEqual(['apply'])
  expect(replayOf(changed)).toEqual({ is: 'same' })
})

test('settings are part of the record', () => {
  const settings: RuntimesSettings = { ...SETTINGS, progressTimeoutMs: 1 }
  const late = { ...available, now: available.now + 1_000 }
  const stopped = looking(
    rolledOut(late, () => 0),
    { pods: [] },
  )
  expect(replayOf(stopped, { settings })).toEqual({ is: 'same' })
})

test.each(['Deployment', '8080', 'checkout:1'])(
  'a secret that is also a value elsewhere (%s) makes a record not replayable, never different',
  (secret) => {
    const world = play(worldOf(configured({ PASSWORD: secret }))).world
    expect(replayOf(world)).toEqual({
      is: 'notReplayable',
      because: expect.stringMatching(/^masked fields: input\.seen\./),
    })
  },
)

test('a decide function that has changed is found by field', () => {
  const { seen, now } = available
  const decided = { ...decide(seen, SETTINGS, now), phase: 'degraded' as const }
  expect(replayOf(available, { decided })).toMatchObject({ is: 'different', now: { phase: 'available' } })
})
