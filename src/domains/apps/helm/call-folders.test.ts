import { expect, test } from 'vitest'
import { isLeftOver, type Judge } from './call-folders.ts'

const JUDGE: Judge = { host: 'worker-0', pid: 7, startedAt: 1_000, isRunning: (pid) => pid === 8 }

test.each([
  { what: 'a process that runs', name: 'caelus-helm-worker-0-8-aB3dEf', left: false },
  { what: 'a process that is gone', name: 'caelus-helm-worker-0-9-aB3dEf', left: true },
  { what: 'this process', name: 'caelus-helm-worker-0-7-aB3dEf', changedAt: 1_000, left: false },
  {
    what: 'the process before with the same number',
    name: 'caelus-helm-worker-0-7-aB3dEf',
    changedAt: 999,
    left: true,
  },
  { what: 'another machine', name: 'caelus-helm-worker-1-9-aB3dEf', left: false },
  { what: 'a machine whose name begins alike', name: 'caelus-helm-worker-0-9-9-aB3dEf', left: false },
  { what: 'nobody that we know', name: 'caelus-helm-test-aB3dEf', left: false },
])('a folder of $what: left over is $left', ({ name, changedAt = 2_000, left }) => {
  expect(isLeftOver({ name, changedAt }, JUDGE)).toBe(left)
})
