import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('a tenant gets consecutive turns, and an idle one joins at the turn being served', () => {
  const turns = new Turns()
  expect([turns.next('busy'), turns.next('busy'), turns.next('busy')]).toEqual([0, 1, 2])
  turns.serve(1)
  expect(turns.next('idle')).toBe(1)
})

test('forgetting idle tenants changes no turn of a tenant that was served last or is ahead', () => {
  const make = (): Turns => {
    const turns = new Turns()
    for (let i = 0; i < 5; i++) turns.next('ahead')
    for (let i = 0; i < 3; i++) turns.next('current')
    turns.next('long ago')
    turns.serve(2)
    return turns
  }
  const [kept, forgotten] = [make(), make()]
  forgotten.forgetIdle()
  expect(forgotten.size).toBe(1)
  for (const tenant of ['ahead', 'current']) expect(forgotten.next(tenant)).toBe(kept.next(tenant))
})
