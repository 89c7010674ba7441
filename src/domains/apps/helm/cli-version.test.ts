import { expect, it } from 'vitest'
import { parseVersion, shortcomings, waiting } from './cli-version.ts'

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

it('the watcher is trusted from 4.3 on', () => {
  expect(waiting(parseVersion('v4.3.0'))).toEqual(['--wait=watcher'])
  expect(waiting(parseVersion('v4.2.3'))).toEqual(['--wait=legacy'])
  expect(waiting(parseVersion('v3.19.0'))).toEqual(['--wait'])
})

it('Helm 3 keeps fewer promises, and each is told', () => {
  expect(shortcomings(parseVersion('v4.0.0'))).toEqual([])
  expect(shortcomings(parseVersion('v3.19.0')).length).toBeGreaterThan(0)
})
