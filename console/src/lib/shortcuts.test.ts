// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { isForUs, press } from './shortcuts.ts'
import type { Shortcut } from './shortcuts.ts'

const run = (): void => {}
const apps: Shortcut = { keys: ['g', 'a'], label: 'Apps', run }
const help: Shortcut = { keys: ['?'], label: 'Help', run }
const all = [apps, help]

test('g then a goes to apps', () => {
  const first = press(all, undefined, 'g', 0)
  expect(first).toEqual({ pending: { key: 'g', at: 0 }, shortcut: undefined })
  expect(press(all, first.pending, 'a', 500).shortcut).toBe(apps)
})

test('after a long pause the second key stands alone', () => {
  expect(press(all, { key: 'g', at: 0 }, 'a', 5_000)).toEqual({ pending: undefined, shortcut: undefined })
})

test('a single key works at once, also after a first key that leads nowhere', () => {
  expect(press(all, undefined, '?', 0).shortcut).toBe(help)
  expect(press(all, { key: 'g', at: 0 }, '?', 10).shortcut).toBe(help)
})

test('g g a still goes to apps', () => {
  const second = press(all, { key: 'g', at: 0 }, 'g', 100)
  expect(press(all, second.pending, 'a', 200).shortcut).toBe(apps)
})

test('keys typed into a field or with a modifier are left alone', () => {
  const event = { ctrlKey: false, metaKey: false, altKey: false, defaultPrevented: false, target: document.body }
  expect(isForUs(event)).toBe(true)
  expect(isForUs({ ...event, ctrlKey: true })).toBe(false)
  expect(isForUs({ ...event, target: document.createElement('input') })).toBe(false)
})
