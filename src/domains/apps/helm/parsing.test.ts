import { expect, test } from 'vitest'
import { failureOf } from '../../../kernel/index.ts'
import { objectsOf } from './manifest.ts'
import { parsed } from './parsing.ts'

const entry = (n: number): string =>
  `  - description: Some chart\n    digest: ${'a'.repeat(64)}\n    keywords: [a, b]\n    urls: [https://charts.example.com/web-1.${n}.0.tgz]\n    version: 1.${n}.0\n`
const index = (versions: number): string =>
  `apiVersion: v1\nentries:\n  web:\n${Array.from({ length: versions }, (_, n) => entry(n)).join('')}`

/** The longest that the event loop was held up while `work` went on. */
async function heldUpBy(work: () => Promise<unknown>): Promise<number> {
  let [longest, last] = [0, performance.now()]
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 5)
  await work()
  clearInterval(timer)
  return Math.max(longest, performance.now() - last)
}

test('an index of 4 MB holds nobody up', async () => {
  const text = index(20_000)
  expect(text.length).toBeGreaterThan(3_500_000)
  const began = performance.now()
  const heldUp = await heldUpBy(async () => {
    const found = await parsed('the index', 'index', [text, 'web', '1.19999.0'])
    expect(found).toEqual({ url: 'https://charts.example.com/web-1.19999.0.tgz', digest: `sha256:${'a'.repeat(64)}` })
  })
  expect(heldUp).toBeLessThan((performance.now() - began) / 2)
})

test('what is no YAML, or stands for too much, is a failure with its code', async () => {
  const broken = await parsed('the index', 'index', ['a: [', 'web', '1']).catch((error: unknown) => error)
  expect(failureOf(broken)).toMatchObject({
    code: 'ChartUnreachable',
    message: expect.stringContaining('cannot be parsed'),
  })
  const laughs = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]\n`)
  const bomb = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\na0: &a0 [lol]\n${laughs.join('')}`
  for (const text of [bomb, `${bomb}# ${'x'.repeat(100_000)}\n`]) {
    const error: unknown = await objectsOf(text, { namespace: 'a', release: 'a' }, NO_KINDS).catch((e: unknown) => e)
    expect(failureOf(error)).toMatchObject({ code: 'ChartInvalid', message: expect.stringContaining('aliases') })
  }
})

const NO_KINDS = { resourceFor: () => Promise.resolve(undefined) }
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n'

test('manifests with many aliases are read, large ones on a thread, larger ones not at all', async () => {
  const target = { namespace: 'a', release: 'a' }
  const aliases = Array.from({ length: 150 }, (_, n) => `  k${n}: *x\n`).join('')
  const many = `${MAP}data:\n  x: &x "1"\n${aliases}`
  const [object] = await objectsOf(many, target, NO_KINDS)
  expect(object).toMatchObject({ data: { x: '1', k149: '1' } })
  const large = Array.from({ length: 2_000 }, () => `---\n${MAP}data: { text: ${'x'.repeat(500)} }\n`).join('')
  const heldUp = await heldUpBy(async () => expect(await objectsOf(large, target, NO_KINDS)).toHaveLength(2_000))
  expect(heldUp).toBeLessThan(2_000)
  await expect(objectsOf('x'.repeat(17 * 1024 ** 2), target, NO_KINDS)).rejects.toMatchObject({
    failure: { code: 'RenderTooLarge' },
  })
})

test('whoever goes away is not waited for', async () => {
  const over = new AbortController()
  const asked = parsed('the index', 'index', [index(20_000), 'web', '1'], over.signal)
  over.abort(new Error('gone'))
  await expect(asked).rejects.toThrow('gone')
})
