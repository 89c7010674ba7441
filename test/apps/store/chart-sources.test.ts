import { expect, test } from 'vitest'
import { accessTo, sourcesOfApi, sourcesOfWorker } from '../../../src/domains/apps/usecases/index.ts'
import { createAuthority } from '../../../tools/control-plane/certificate.ts'
import { appsWorld, codeOf, fieldsOf, ringOf } from './world.ts'

const HOST = 'registry.example.com:5000'

test('access to a host is stored sealed, kept when it is not written again, and used for that host alone', async () => {
  await using w = await appsWorld()
  const { pool } = w.database
  const access = (host: string, find = sourcesOfApi(pool)) => accessTo(find, ringOf('k1'), host)
  const set = (host: string, input: object) => w.apps.setChartSource(w.admin, host, input)
  expect(await set(HOST, { username: 'puller', password: 'correct horse' })).toEqual({
    host: HOST,
    username: 'puller',
    ca: null,
    verification: 'none',
    keyring: null,
    updatedAt: expect.any(Number),
  })
  expect(JSON.stringify(await pool.query('select * from caelus.chart_source'))).not.toContain('horse')
  expect(await access(HOST)).toEqual({ username: 'puller', password: 'correct horse' })
  expect(await access('registry.example.com')).toBeUndefined()
  const [ofApi, ofWorker] = (['caelus_api', 'caelus_worker'] as const).map((role) => w.database.openPool({ role }))
  if (ofApi === undefined || ofWorker === undefined) throw new Error('expected two pools')
  for (const find of [sourcesOfApi(ofApi), sourcesOfWorker(ofWorker)]) {
    expect(await access(HOST, find)).toMatchObject({ password: 'correct horse' })
  }
  expect(await ofApi.query('select * from caelus.chart_source')).toEqual([])
  const ca = createAuthority('test', new Date()).certified.cert
  await set(HOST, { username: 'puller', ca })
  expect(await access(HOST)).toEqual({ username: 'puller', password: 'correct horse', ca })
  expect(await fieldsOf(set(HOST, { username: 'another' }))).toHaveProperty('password')
  await set(HOST, { ca })
  expect(await access(HOST)).toEqual({ ca })
  expect(
    (await w.apps.listChartSources(w.admin, { limit: 10 })).items.map(({ host, username }) => [host, username]),
  ).toEqual([[HOST, null]])
  await w.apps.deleteChartSource(w.admin, HOST)
  expect(await access(HOST)).toBeUndefined()
  expect(await codeOf(w.apps.deleteChartSource(w.admin, HOST))).toBe('NotFound')
})

test('what is wrong with a source is told by field, and members see none of it', async () => {
  await using w = await appsWorld()
  for (const host of ['https://registry.example.com', 'user@registry', 'Registry.example.com', 'a/b', '']) {
    expect(await fieldsOf(w.apps.setChartSource(w.admin, host, {}))).toHaveProperty('host')
  }
  expect(await fieldsOf(w.apps.setChartSource(w.admin, HOST, { password: 'x', ca: 'no certificate' }))).toEqual({
    username: 'is missing',
    ca: 'must be certificates of authorities, in PEM',
  })
  expect(await codeOf(w.apps.setChartSource(w.ann, HOST, {}))).toBe('NotAllowed')
  expect(await codeOf(w.apps.listChartSources(w.ann, { limit: 10 }))).toBe('NotAllowed')
  expect(await codeOf(w.apps.deleteChartSource(w.ann, HOST))).toBe('NotAllowed')
  const unsealed = w.appsWith({ ring: undefined })
  const written = unsealed.setChartSource(w.admin, HOST, { username: 'a', password: 'b' })
  expect(await codeOf(written)).toBe('ValuesUnreadable')
})

test('passwords of sources are sealed anew when the key is rotated', async () => {
  await using w = await appsWorld()
  await w.apps.setChartSource(w.admin, HOST, { username: 'puller', password: 'correct horse' })
  await w.appsWith({ ring: ringOf('k2', 'k1') }).rotateValuesKey(w.admin)
  expect(await accessTo(sourcesOfApi(w.database.pool), ringOf('k2'), HOST)).toMatchObject({ password: 'correct horse' })
  const lost = await w.appsWith({ ring: ringOf('k3') }).rotateValuesKey(w.admin)
  expect(lost.unreadable).toEqual([HOST])
})
