import { describe, expect, it } from 'vitest'
import { dropCondition, setCondition, type Condition } from './conditions.ts'

const base = { type: 'Available', status: 'True', reason: 'Up', message: 'it is up', observedGeneration: 1 } as const
const at = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

describe('setCondition', () => {
  it('returns the very same list for an unchanged truth', () => {
    const all = setCondition([], base, 1_000)
    expect(setCondition(all, base, 9_000)).toBe(all)
  })

  it('moves the transition time with the status, not with the words', () => {
    const all = setCondition([], base, 1_000)
    const reworded = setCondition(all, { ...base, message: 'still up' }, 5_000)
    expect(reworded[0]).toMatchObject({ message: 'still up', lastTransitionTime: at(1_000) })
    const down = setCondition(reworded, { ...base, status: 'False', reason: 'Down' }, 9_000)
    expect(down[0]?.lastTransitionTime).toBe(at(9_000))
  })

  it('keeps the list sorted and every type once', () => {
    let all: readonly Condition[] = []
    for (const type of ['Ready', 'Available', 'Progressing', 'Available']) all = setCondition(all, { ...base, type }, 0)
    expect(all.map(({ type }) => type)).toEqual(['Available', 'Progressing', 'Ready'])
    expect(dropCondition(all, 'Progressing').map(({ type }) => type)).toEqual(['Available', 'Ready'])
    expect(dropCondition(all, 'Missing')).toBe(all)
  })
})
