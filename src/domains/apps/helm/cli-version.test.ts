import { expect, it } from 'vitest'
import { forced, parseVersion, shortcomings } from './cli-version.ts'

it.each([
  ['v4.3.1', 4, 3],
  ['v4.3', 4, 3],
  ['v3.19.0+g3d8990f\n', 3, 19],
])('%s is understood', (text, major, minor) => {
  expect(parseVersion(text)).toEqual({ major, minor, text: text.trim() })
})

it.each(['v3.9.0', 'v3.15.4', 'v2.17.0', 'v5.0.0', '', 'command not found'])(
  '%j is refused with what is needed',
  (text) => {
    expect(() => parseVersion(text)).toThrow('needed is Helm 4')
  },
)

it('only Helm 4 has to be told to take fields over', () => {
  expect(forced(parseVersion('v4.3.0'), true)).toEqual(['--force-conflicts'])
  expect(forced(parseVersion('v4.3.0'), false)).toEqual([])
  expect(forced(parseVersion('v3.19.0'), true)).toEqual([])
})

it('Helm 3 keeps fewer promises, and each is told', () => {
  expect(shortcomings(parseVersion('v4.0.0'))).toEqual([])
  expect(shortcomings(parseVersion('v3.19.0')).length).toBeGreaterThan(0)
})
