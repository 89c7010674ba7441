import { describe, expect, it } from 'vitest'
import { statusMerge } from './status.ts'

interface Status {
  phase?: string
  refs?: readonly string[]
  lastApplied?: { replicas: number }
}

const merge = statusMerge<Status>()({ lifecycle: ['phase', 'refs'], enforcer: ['lastApplied'] })

describe('statusMerge', () => {
  it('returns the very same status for an unchanged truth', () => {
    const status: Status = { phase: 'available', refs: ['a'] }
    expect(merge(status, 'lifecycle', { phase: 'available', refs: ['a'] })).toBe(status)
  })

  it("keeps the other writers' fields", () => {
    const status = merge({ phase: 'progressing' }, 'enforcer', { lastApplied: { replicas: 3 } })
    expect(merge(status, 'lifecycle', { phase: 'available' })).toEqual({
      phase: 'available',
      lastApplied: { replicas: 3 },
    })
  })

  it('removes a field that its owner sets to undefined', () => {
    expect(merge({ phase: 'x', refs: ['a'] }, 'lifecycle', { refs: undefined })).toEqual({ phase: 'x' })
  })

  it("refuses another's field, in the types and at run time", () => {
    // @ts-expect-error the enforcer does not own the phase
    expect(() => merge({}, 'enforcer', { phase: 'available' })).toThrow('status field phase is not owned by enforcer')
  })

  it('refuses a field with two owners', () => {
    expect(() => statusMerge<Status>()({ one: ['phase'], two: ['phase'] })).toThrow('owned by both one and two')
  })

  it('lets two writers at once lose nothing, whoever comes last', () => {
    const start: Status = { phase: 'pending' }
    const patches = [
      (s: Status) => merge(s, 'lifecycle', { phase: 'available' }),
      (s: Status) => merge(s, 'enforcer', { lastApplied: { replicas: 2 } }),
    ] as const
    expect(patches[1](patches[0](start))).toEqual(patches[0](patches[1](start)))
  })
})
