import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, inject, onTestFinished, test } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { buildConsole } from '../../tools/release/build-console.ts'
import { caelus, start } from '../cli/caelus.ts'
import { emptyDatabase } from '../support/postgres.ts'

/** Outside of the checkout, so that a release cannot find files of it. */
const dir = inject('release')

const BUILT_WITHIN_MS = 120_000

test('a release is plain JavaScript with its maps, migrations, console and the licences of others', async () => {
  const files = await readdir(dir, { recursive: true })
  expect(files.filter((file) => file.endsWith('.ts'))).toEqual([])
  expect(files).toEqual(
    expect.arrayContaining([
      'caelus.mjs',
      'caelus.mjs.map',
      'console/dist/index.html',
      'src/store/migrations/0001-identity.sql',
    ]),
  )
  expect(await readFile(join(dir, 'THIRD-PARTY-NOTICES.txt'), 'utf8')).toMatch(/^fastify \d/m)
})

test('a build of the console writes nothing that a linter beside it would check', async () => {
  const folder = join(import.meta.dirname, '../../console')
  const written = new Set<string | null>()
  const watcher = watch(folder, (_, name) => written.add(name))
  onTestFinished(() => watcher.close())
  await rm(join(folder, 'dist/.built-from'))
  expect(await buildConsole(AbortSignal.timeout(BUILT_WITHIN_MS))).toBe(true)
  await expect.poll(() => [...written]).toEqual(['dist'])
  expect(await buildConsole(AbortSignal.timeout(BUILT_WITHIN_MS))).toBe(false)
})

test('a release tells its version and configuration, and what it cannot do', async () => {
  const [version, config, controlPlane] = await Promise.all([
    caelus(['--version']),
    caelus(['config', '-o', 'json'], { CAELUS_PORT: '9999' }),
    start(['control-plane', 'status'], {}, join(dir, 'caelus.mjs')).ended,
  ])
  expect(version).toEqual({ code: 0, out: `${VERSION}\n`, err: '' })
  expect(JSON.parse(config.out)).toContainEqual(expect.objectContaining({ name: 'CAELUS_PORT', value: '9999' }))
  expect(controlPlane).toMatchObject({ code: 1, err: expect.stringMatching(/^error: NeedsCheckout: /) })
})

test('a release migrates a fresh database and serves the API and the console on it', async () => {
  await using database = await emptyDatabase()
  const env = { DATABASE_URL: database.url, CAELUS_PORT: '0', CAELUS_LOG_FORMAT: 'json' }
  expect(await caelus(['migrate'], env)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ran 0001-identity\n/),
    err: '',
  })
  expect(await caelus(['create-admin', 'ada@example.test'], env)).toMatchObject({ code: 0, err: expect.any(String) })
  await using api = start(['api'], env)
  const [, url = ''] = await api.says(/"url":"([^"]+)"/)
  expect(await fetch(`${url}/healthz`)).toMatchObject({ status: 200 })
  await expect.poll(async () => (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ok' })
  expect(await (await fetch(url)).text()).toContain('<div id="root">')
  api.child.kill('SIGTERM')
  expect(await api.ended).toMatchObject({ code: 0 })
})

test('a thread that parses what strangers wrote works in a release', async () => {
  const program = join(dir, 'src/domains/apps/helm/parsing-main.mjs')
  const index = 'entries:\n  web:\n  - { version: 1.10, urls: [web-1.10.tgz] }\n'
  const thread = new Worker(program, { workerData: { parser: 'index', input: [index, 'web', '1.10'] } })
  const [answer] = (await once(thread, 'message')) as unknown[]
  expect(answer).toEqual({ is: 'parsed', value: { url: 'web-1.10.tgz', digest: undefined } })
})

test('what Helm runs between rendering and applying works in a release', async () => {
  const fields = join(dir, 'hand-over.json')
  await writeFile(fields, JSON.stringify([{ object: 'Deployment/web', path: 'spec.replicas', owner: 'an autoscaler' }]))
  const program = join(dir, 'src/domains/apps/helm/hand-over-main.mjs')
  const manifest =
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec: { replicas: 3, paused: true }\n'
  const rendered = await new Promise<string>((resolve, reject) => {
    const child = execFile(process.execPath, [program, fields], (error, out) => (error ? reject(error) : resolve(out)))
    child.stdin?.end(manifest)
  })
  expect(rendered).toContain('"spec":{"paused":true}')
})
