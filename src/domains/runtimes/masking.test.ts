import { expect, test } from 'vitest'
import { expectNoSentinel, SENTINEL, sentinelSpellings } from '../../../test/support/sentinel.ts'
import { hiding, statusHidden } from './masking.ts'

const SECRET = 'open sesame'
const { text, hide } = hiding({
  spec: { functions: [{ function_key: 'a', config: { PASSWORD: SECRET, MODE: 'on' } }] },
})

test.each([...sentinelSpellings()])('a value is hidden however it is spelled: %s', (_name, spelling) => {
  const secret = hiding({ spec: { functions: [{ function_key: 'a', config: { PASSWORD: SENTINEL } }] } })
  expectNoSentinel(secret.text(`failed with ${spelling}`))
  expectNoSentinel(secret.hide({ message: `failed with ${spelling}`, [spelling]: [spelling] }))
})

test('a value is hidden wherever it is part of a text, unless it is too short to be one', () => {
  expect(text(`login with ${SECRET} failed on Monday`)).toMatch(/^login with \(hidden [0-9a-f]{8}\) failed on Monday$/)
})

test('in objects all of what functions are told is hidden, and what the platform tells them is not', () => {
  const env = [
    { name: 'PASSWORD', value: 'an older one' },
    { name: 'MODE', value: 'on' },
    { name: 'OPRC_CLS_ID', value: 'cart' },
  ]
  const hidden = JSON.stringify(hide({ spec: { config: { PASSWORD: SECRET }, containers: [{ env }] }, on: true }).value)
  expect(hidden).not.toContain(SECRET)
  expect(hidden).not.toContain('an older one')
  expect(hidden).not.toContain('"on"}')
  expect(hidden).toContain('cart')
  expect(hidden).toContain('"on":true')
})

test('equal values have equal marks, so that a difference can still be seen', () => {
  expect(text(SECRET)).toBe(text(SECRET))
  expect(hide({ env: [{ name: 'PASSWORD', value: SECRET }] }).value).toEqual({
    env: [{ name: 'PASSWORD', value: text(SECRET) }],
  })
  expect(hide({ env: [{ name: 'PASSWORD', value: 'other' }] }).value).not.toEqual(
    hide({ env: [{ name: 'PASSWORD', value: SECRET }] }).value,
  )
})

test('what a pod was given is hidden in what its containers say, whatever the spec says by now', () => {
  const container = (message: string) => ({
    name: 'function',
    image: '',
    imageID: '',
    ready: false,
    restartCount: 3,
    lastState: { terminated: { exitCode: 1, message } },
  })
  const status = statusHidden({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'cart' },
    spec: { containers: [{ name: 'function', env: [{ name: 'PASSWORD', value: 'an older one' }] }] },
    status: { containerStatuses: [container('cannot log in with an older one')] },
  })
  const said = status?.containerStatuses?.[0]?.lastState?.terminated?.message
  expect(said).toMatch(/^cannot log in with \(hidden [0-9a-f]{8}\)$/)
})

test('what the kubelet has cut out of the middle of a value is hidden', () => {
  const containers = [{ name: 'function', env: [{ name: 'PASSWORD', value: SENTINEL }] }]
  const metadata = { name: 'cart' }
  for (const spelling of [SENTINEL, JSON.stringify(SENTINEL), encodeURIComponent(SENTINEL)]) {
    const message = `${spelling.slice(spelling.length / 2)} was refused; ${spelling.slice(0, spelling.length / 2)}`
    const status = { conditions: [{ type: 'Ready', status: 'False', message }] }
    expectNoSentinel(statusHidden({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers }, status }))
  }
})
