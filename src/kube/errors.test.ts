import { describe, expect, test } from 'vitest'
import { failureOf, retryAfterOf } from '../kernel/index.ts'
import { errorOf, isAlreadyExists, isConflict, isForbidden, isGone, isInvalid, isNotFound } from './errors.ts'

const answer = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  errorOf('do it', { status, headers, body: { kind: 'Status', message: 'no', ...body } })

describe('an answer of the server becomes a failure with a verdict', () => {
  test.each([
    [400, {}, 'KubeInvalid', false],
    [401, {}, 'KubeUnauthorized', true],
    [403, {}, 'KubeForbidden', true],
    [403, { message: 'exceeded quota: small, requested: pods=1' }, 'KubeQuotaExceeded', true],
    [403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } }, 'KubeNamespaceTerminating', true],
    [403, { message: 'admission webhook "a.example" denied the request: never' }, 'KubeAdmissionDenied', false],
    [404, {}, 'KubeNotFound', true],
    [405, {}, 'KubeRefused', false],
    [409, {}, 'KubeConflict', true],
    [409, { reason: 'AlreadyExists' }, 'KubeAlreadyExists', true],
    [409, { details: { causes: [{ reason: 'FieldManagerConflict' }] } }, 'KubeFieldConflict', true],
    [410, {}, 'KubeExpired', true],
    [413, {}, 'KubeInvalid', false],
    [422, {}, 'KubeInvalid', false],
    [429, {}, 'KubeBusy', true],
    [500, {}, 'KubeServerError', true],
    [503, {}, 'KubeServerError', true],
  ])('%i %j is %s', (status, body, code, retryable) => {
    expect(failureOf(answer(status, body))).toMatchObject({ code, retryable })
  })
})

test('every manager in the way is named, with the field and the subresource', () => {
  const message = 'conflict with "kubelet" with subresource "status" using v1 at 2026-01-01T00:00:00Z'
  const causes = [
    { reason: 'FieldManagerConflict', field: '.status.phase', message },
    { reason: 'FieldManagerConflict', field: '.spec.replicas', message: 'conflict with "hpa" using apps/v1' },
  ]
  expect(answer(409, { details: { causes } }).conflicts).toEqual([
    { field: '.status.phase', manager: 'kubelet', subresource: 'status' },
    { field: '.spec.replicas', manager: 'hpa', subresource: undefined },
  ])
})

test('the time to come back is taken from the header, or from the details', () => {
  expect(retryAfterOf(answer(429, {}, { 'retry-after': '7' }))).toBe(7_000)
  expect(retryAfterOf(answer(503, { details: { retryAfterSeconds: 3 } }))).toBe(3_000)
  expect(retryAfterOf(answer(500))).toBeUndefined()
})

test('an answer that is no Status is quoted, shortened', () => {
  const error = errorOf('do it', { status: 502, headers: {}, body: `<html>${'x'.repeat(1000)}` })
  expect(error.message).toMatch(/^failed to do it: the API server answered 502: <html>x+$/)
  expect(error.message.length).toBeLessThan(400)
})

test('errors are recognised by what they mean', () => {
  expect(isNotFound(answer(404))).toBe(true)
  expect(isForbidden(answer(403))).toBe(true)
  expect(isGone(answer(410))).toBe(true)
  expect(isInvalid(answer(422))).toBe(true)
  expect([isConflict(answer(409)), isAlreadyExists(answer(409))]).toEqual([true, false])
  const exists = answer(409, { reason: 'AlreadyExists' })
  expect([isConflict(exists), isAlreadyExists(exists)]).toEqual([false, true])
  expect(isNotFound(new Error('not found'))).toBe(false)
})
