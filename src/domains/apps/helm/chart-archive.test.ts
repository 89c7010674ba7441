import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readChart } from './chart-archive.ts'
import { tarOf } from './tar.ts'

const packed = (files: Readonly<Record<string, string>>): Buffer =>
  gzipSync(tarOf(Object.entries(files).map(([name, text]) => ({ name: `web/${name}`, content: Buffer.from(text) }))))

const ABOUT = 'name: web\nversion: 1.0.0\n'

describe('a packaged chart', () => {
  it('says what it is and what its values are', async () => {
    const archive = packed({
      'Chart.yaml': `${ABOUT}appVersion: 2\nicon: https://example.com/icon.svg\n`,
      'values.yaml': 'replicas: 1\n',
      'values.schema.json': '{"type":"object"}',
      'charts/inner/Chart.yaml': 'name: inner\nversion: 9.9.9\n',
    })
    expect(await readChart(archive, 'web')).toEqual({
      name: 'web',
      version: '1.0.0',
      appVersion: '2',
      description: null,
      icon: 'https://example.com/icon.svg',
      defaultValues: { replicas: 1 },
      valuesSchema: { type: 'object' },
    })
  })

  it('has the defaults that Helm would read, since they are handed to it', async () => {
    const archive = packed({ 'Chart.yaml': ABOUT, 'values.yaml': 'off: no\nmode: 0644\nday: 2026-01-01\nnone:\n' })
    const { defaultValues } = await readChart(archive, 'web')
    expect(defaultValues).toEqual({ false: false, mode: 420, day: '2026-01-01', none: null })
  })

  it('needs neither values nor schema', async () => {
    const { defaultValues, valuesSchema } = await readChart(packed({ 'Chart.yaml': ABOUT, 'values.yaml': '' }), 'web')
    expect([defaultValues, valuesSchema]).toEqual([{}, null])
  })

  it.each([
    ['it has no Chart.yaml', packed({ 'values.yaml': '' })],
    ['Chart.yaml has no version', packed({ 'Chart.yaml': 'name: web' })],
    ['values.yaml is not an object', packed({ 'Chart.yaml': ABOUT, 'values.yaml': '[]' })],
    ['values.schema.json cannot be parsed', packed({ 'Chart.yaml': ABOUT, 'values.schema.json': '{' })],
    ['values.yaml has more than', packed({ 'Chart.yaml': ABOUT, 'values.yaml': '#'.repeat(6 * 1024 ** 2) })],
    ['it unpacks to more than', gzipSync(Buffer.alloc(65 * 1024 ** 2))],
    ['it is not a gzipped archive', Buffer.from('hello')],
  ])('is refused: %s', async (why, archive) => {
    await expect(readChart(archive, 'oci://registry.example.com/web 1.0.0')).rejects.toMatchObject({
      failure: { code: 'ChartInvalid', message: expect.stringContaining(why) as unknown },
    })
  })
})
