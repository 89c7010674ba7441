import { describe, expect, test } from 'vitest'
import { HttpError } from './errors.ts'
import { addressOf, isRedirect, nextStop, type Stop } from './redirects.ts'

const start: Stop = {
  url: new URL('https://a.example/index.yaml'),
  headers: { Authorization: 'Basic x', cookie: 'y', accept: '*/*' },
  followed: 0,
}
const policy = { max: 2 }

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('has status %d', (status) => {
    expect(isRedirect(status)).toBe(true)
  })

  test.each([200, 300, 304, 305, 404, 500])('does not have status %d', (status) => {
    expect(isRedirect(status)).toBe(false)
  })

  test('may be relative, and is counted', () => {
    expect(nextStop(start, '/b', policy)).toMatchObject({ url: new URL('https://a.example/b'), followed: 1 })
  })

  test('keeps credentials on the same origin and drops them on any other', () => {
    const to = (location: string) => nextStop(start, location, policy).headers
    expect(to('/b')).toEqual(start.headers)
    expect(to('https://b.example/')).toEqual({ accept: '*/*' })
    expect(to('https://a.example:8443/')).toEqual({ accept: '*/*' })
  })

  test.each([
    ['to plain http', 'http://a.example/', 'which is not https'],
    ['to a file', 'file:///etc/passwd', 'which is not https'],
    ['to no address', 'https://', 'redirects to an invalid address'],
  ])('%s is refused', (_, location, text) => {
    expect(() => nextStop(start, location, policy)).toThrow(text)
  })

  test('beyond the limit is refused', () => {
    const error = ((): unknown => {
      try {
        return nextStop({ ...start, followed: 2 }, '/b', policy)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(HttpError)
    expect(error).toMatchObject({
      problem: 'redirected',
      message: expect.stringContaining('more than 2 times') as string,
    })
  })

  test('is shown to the check of the caller, whose error is thrown', () => {
    const check = (target: URL): void => {
      throw new Error(`not to ${target.host}`)
    }
    expect(() => nextStop(start, 'https://b.example', { max: 1, check })).toThrow('not to b.example')
  })
})

test('messages show no credentials and no query', () => {
  expect(addressOf(new URL('https://user:pass@a.example:8443/x?token=1#y'))).toBe('https://a.example:8443/x')
})
