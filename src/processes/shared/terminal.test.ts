import { expect, test } from 'vitest'
import { progressLine } from './terminal.ts'

/** A progress line with a clock that the test moves, and what it wrote. */
function scene(isInteractive: boolean) {
  const written: string[] = []
  const clock = { ms: 1_000 }
  const terminal = { out: () => {}, err: (text: string) => void written.push(text), isInteractive, ask: async () => '' }
  return { written, clock, progress: progressLine(terminal, () => clock.ms) }
}

test('without a terminal a step is written when it begins and every 15 s', () => {
  const { written, clock, progress } = scene(false)
  for (let second = 0; second <= 31; second++) {
    progress.show('building etcd', `building etcd (${second} s)`)
    clock.ms += 1_000
  }
  progress.show('building helm', 'building helm (0 s)')
  expect(written).toEqual([
    'building etcd (0 s)\n',
    'building etcd (15 s)\n',
    'building etcd (30 s)\n',
    'building helm (0 s)\n',
  ])
})

test('a terminal has one line that is overwritten', () => {
  const { written, progress } = scene(true)
  progress.show('building etcd', 'building etcd (0 s)')
  progress.show('building etcd', 'building etcd (1 s)')
  expect(written).toEqual(['\r\u001B[2Kbuilding etcd (0 s)', '\r\u001B[2Kbuilding etcd (1 s)'])
})
