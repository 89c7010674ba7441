import { expect, test } from 'vitest'
import { slowestFiles } from './slowest.ts'

test('the slowest files come first, and files beyond the count are left out', () => {
  const files = [
    { file: 'quick.test.ts', wallSeconds: 0.2, cpuSeconds: 0.1 },
    { file: 'slow.test.ts', wallSeconds: 123.45, cpuSeconds: 60.2 },
    { file: 'elsewhere.test.ts', wallSeconds: 3 },
  ]
  expect(slowestFiles(files, 2)).toBe(`the 2 slowest of 3 files (CPU of the test process and of its children that ended)
 wall s   CPU s
  123.5    60.2  slow.test.ts
    3.0       -  elsewhere.test.ts`)
})
