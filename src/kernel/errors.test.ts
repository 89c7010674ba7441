import { describe, expect, it } from 'vitest'
import { defineFailures, failureOf, knownFailures, messageOf, retryAfterOf } from './errors.ts'

const raise = defineFailures({ TestGone: { whoseMove: 'user', retryable: false, nextStep: 'create it again' } })

describe('failureOf', () => {
  it('finds the failure at any depth, and keeps the whole chain of messages', () => {
    const error = new Error('failed to install', {
      cause: new Error('failed to pull', { cause: raise.TestGone('chart is gone') }),
    })
    expect(failureOf(error)).toEqual({
      code: 'TestGone',
      message: 'failed to install: failed to pull: chart is gone',
      whoseMove: 'user',
      retryable: false,
      nextStep: 'create it again',
    })
  })

  it('takes what has no verdict as retryable', () => {
    expect(failureOf(new Error('boom'))).toMatchObject({ code: 'Unexpected', retryable: true, message: 'boom' })
    expect(failureOf('just text').message).toBe('just text')
    expect(failureOf(undefined).message).toBe('unknown error')
  })

  it('finds when to come back', () => {
    expect(retryAfterOf(new Error('x', { cause: raise.TestGone('y', { retryAfterMs: 5 }) }))).toBe(5)
    expect(retryAfterOf(new Error('x'))).toBeUndefined()
  })
})

describe('messageOf', () => {
  it('does not repeat what a wrapper already quoted, and survives a circle', () => {
    const inner = new Error('connection refused')
    expect(messageOf(new Error('failed to list: connection refused', { cause: inner }))).toBe(
      'failed to list: connection refused',
    )
    inner.cause = inner
    expect(messageOf(inner)).toBe('connection refused')
  })
})

describe('defineFailures', () => {
  it('refuses a code that already means something', () => {
    expect(() => defineFailures({ TestGone: { whoseMove: 'user', retryable: true, nextStep: 'x' } })).toThrow(
      'TestGone is declared twice',
    )
    expect(knownFailures().map(([code]) => code)).toContain('TestGone')
  })
})
