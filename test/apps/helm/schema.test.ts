import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { SCHEMA_CASES, schemaOf } from './schema-cases.ts'
import { writeChart } from './world.ts'

let dir: string
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'caelus-schema-test-'))))
afterAll(() => rm(dir, { recursive: true }))

test.each(SCHEMA_CASES)('Helm on $name', async (one) => {
  const { helm } = await obtainBinaries(['helm'])
  const chart = await writeChart(dir, {}, { values: JSON.stringify({ a: one.value }) })
  await writeFile(join(chart, 'values.schema.json'), JSON.stringify(schemaOf(one)))
  const said = await promisify(execFile)(helm, ['template', 'x', chart]).then(
    () => 'valid',
    (error: { readonly stderr: string }) => error.stderr,
  )
  if (one.isValid) expect(said).toBe('valid')
  else expect(said).toMatch(/^Error: values don't meet the specifications .*\n.*\n- at '\/a/)
})
