import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  checkMergedValues,
  checkUserValues,
  formOf,
  mergeValues,
  systemValues,
} from '../../../src/domains/apps/index.ts'
import { DEFAULT_LAYOUT } from '../../../src/domains/apps/values/layout.ts'
import { charts } from '../../../src/domains/apps/helm/index.ts'
import { obtainBinaries } from '../../../tools/binaries/index.ts'
import { golden } from '../../support/golden.ts'
import { ROOT } from './world.ts'

const CHARTS = ['hello-static', 'ledger', 'status-page'] as const

const system = systemValues(
  { id: '1', deploymentUid: 'shop-a-1', namespaceName: 'shop-a-1', domainname: 'a.example.com' },
  'public',
  DEFAULT_LAYOUT,
)

async function helm(...args: string[]): Promise<string> {
  const { helm: binary } = await obtainBinaries(['helm'])
  return (await promisify(execFile)(binary, args, { cwd: ROOT, env: { HOME: '/nowhere' } })).stdout
}

describe.each(CHARTS)('the chart %s', (name) => {
  const fetched = () =>
    charts({ cacheDir: join(ROOT, 'node_modules/.cache/charts'), localPaths: true }).fetch({
      ref: join(ROOT, 'charts', name),
      version: '0.1.0',
      digest: null,
    })

  it('is without fault for helm lint', async () => {
    expect(await helm('lint', '--strict', `charts/${name}`)).not.toMatch(/\[(?:WARNING|ERROR)\]/)
  })

  it('renders as recorded', async () => {
    golden(
      `testdata/charts/rendered/${name}.yaml`,
      await helm('template', 'demo', `charts/${name}`, '--values', `testdata/charts/values/${name}.yaml`),
    )
  })

  it('accepts its own defaults with what the platform adds', async () => {
    const { defaultValues, valuesSchema } = await fetched()
    const merged = mergeValues({ defaults: defaultValues, userValues: {}, system })
    expect(checkMergedValues(valuesSchema, merged)).toEqual([])
  })

  it('lets a tenant set what is meant for them and nothing else', async () => {
    const { defaultValues, valuesSchema } = await fetched()
    const refused = checkUserValues({ valuesSchema, defaultValues }, { image: 'evil' })
    expect(refused).not.toEqual([])
    expect(formOf({ valuesSchema, defaultValues }).enabled).toBe(name !== 'status-page')
  })
})
