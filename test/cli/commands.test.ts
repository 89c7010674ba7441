import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { emptyDatabase } from '../support/postgres.ts'
import { expectNoSentinel, SENTINEL_LINE } from '../support/sentinel.ts'
import { caelus, printed, release, start } from './caelus.ts'

test('what is wrong with a command line is said with exit code 2', async () => {
  const [unknown, missing, format, version, help] = await Promise.all([
    caelus(['stauts']),
    caelus(['create-token']),
    caelus(['config', '-o', 'xml']),
    caelus(['version']),
    caelus(['--help']),
  ])
  expect(unknown).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Did you mean status?') })
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("missing required argument 'name'") })
  expect(format).toMatchObject({ code: 2, err: expect.stringContaining('Allowed choices are table, json, yaml') })
  expect(version).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' })
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining('create-token') })
})

test('a refusal prints code, message, who has to act and next step, with exit code 1', async () => {
  const { code, out, err } = await caelus(['status'], { CAELUS_URL: 'http://127.0.0.1:1', CAELUS_TOKEN: SENTINEL_LINE })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(
    /^error: ServerUnreachable: failed to reach http:\/\/127.0.0.1:1.*\naction required: you\nnext step: Start one/,
  )
  expectNoSentinel(err, SENTINEL_LINE)
})

test('the configuration is printed without secrets, or refused as a whole', async () => {
  const env = {
    DATABASE_URL: `postgres://joe:${encodeURIComponent(SENTINEL_LINE)}@db/x`,
    CAELUS_TOKEN: SENTINEL_LINE,
    CAELUS_PORT: '9999',
  }
  const out = await printed(['config', '-o', 'json'], env)
  expectNoSentinel(out, SENTINEL_LINE)
  const rows: { name: string; value: string; source: string }[] = JSON.parse(out)
  expect(rows.find(({ name }) => name === 'CAELUS_PORT')).toMatchObject({ value: '9999', source: 'environment' })
  expect(rows.find(({ name }) => name === 'CAELUS_HOST')).toMatchObject({ value: '127.0.0.1', source: 'default' })
  const refused = await caelus(['config'], { CAELUS_PORT: 'x', CAELUS_HOTS: 'y' })
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/ConfigInvalid.*CAELUS_HOTS.*CAELUS_HOST.*CAELUS_PORT/s),
  })
})

test('an installation is migrated, gets its first admin, serves, and stops when told', async () => {
  await using database = await emptyDatabase()
  const env = { DATABASE_URL: database.url, CAELUS_PORT: '0', CAELUS_LOG_FORMAT: 'json' }
  expect((await caelus(['api'], {})).err).toContain('DATABASE_URL is not set')
  expect(await printed(['migrate'], env)).toMatch(/^ran 0001-identity\n/)
  expect(await printed(['migrate'], env)).toBe('the schema is up to date\n')
  const token = (await printed(['create-admin', 'ada@example.test'], env)).trim()

  await using server = start(['api'], env)
  const [, url = ''] = await server.says(/"url":"(http:[^"]+)"/)
  const remote = { CAELUS_URL: url, CAELUS_TOKEN: token }
  expect(await printed(['status'], remote)).toMatch(/^COMPONENT +HEALTH +VERSION +MESSAGE\npostgresql +ok +18/)
  const created = JSON.parse(await printed(['create-token', 'ci', '--expires-in-days', '3', '-o', 'json'], remote))
  expect(await printed(['list-tokens'], { ...remote, CAELUS_TOKEN: created.secret })).toContain('ci')
  expect(await caelus(['list-decisions'], { ...remote, CAELUS_TOKEN: created.secret })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/NotAllowed.*request id: [0-9a-f-]{36}/s),
  })
  await printed(['revoke-token', created.id], remote)
  expect((await caelus(['list-tokens'], { ...remote, CAELUS_TOKEN: created.secret })).err).toContain('NotSignedIn')

  server.child.kill('SIGTERM')
  const { code, out, err } = await server.ended
  expect(code).toBe(0)
  for (const secret of [token, created.secret, new URL(database.url).password]) expect(out + err).not.toContain(secret)
})

test('the second signal ends the process at once', async () => {
  await using database = await emptyDatabase()
  const env = { DATABASE_URL: database.url, CAELUS_PORT: '0', CAELUS_LOG_FORMAT: 'json', CAELUS_SHUTDOWN_GRACE: '60s' }
  await printed(['migrate'], env)
  const token = (await printed(['create-admin', 'ada@example.test'], env)).trim()
  await using server = start(['api'], env)
  const [, url = ''] = await server.says(/"url":"(http:[^"]+)"/)
  // A request that the server has begun to read, and that never ends, keeps a graceful stop waiting.
  const stuck = request(`${url}/api/v1/tokens`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': 10,
      expect: '100-continue',
    },
  }).on('error', () => {})
  stuck.flushHeaders()
  await once(stuck, 'continue')
  server.child.kill('SIGINT')
  await server.says(/"msg":"Stopping"/)
  server.child.kill('SIGINT')
  expect((await server.ended).code).toBe(130)
})

test('bash completes commands, subcommands and options, whatever stands between', async () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const script = `source <("${process.execPath}" "${release()}" completion bash)
      COMP_WORDS=(caelus ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _caelus; echo "\${COMPREPLY[@]}"`
    const { stdout } = await promisify(execFile)('bash', ['-c', script])
    return stdout.trim().split(' ')
  }
  expect(await complete('cont')).toEqual(['control-plane'])
  expect(await complete('control-plane', 'do')).toEqual(['down'])
  expect(await complete('control-plane', 'down', '--')).toEqual(['--purge'])
  expect(await complete('completion', 'f')).toEqual(['fish'])
  expect(await complete('control-plane', '--nodes', 'kwok', 'do')).toEqual(['down'])
  expect(await complete('get-user', '12', '--o')).toEqual(['--output'])
})

test('up serves within seconds, keeps its data, excludes a second one, and is removed by reset', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'caelus-up-'))
  const env = { CAELUS_DATA_DIR: join(dir, 'data'), CAELUS_PORT: '0' }
  try {
    const tokenOf = async (during: () => Promise<void>): Promise<string> => {
      await using server = start(['up', '--no-control-plane'], env)
      const [, url = ''] = await server.says(/are at (http:\S+)\n/)
      await expect.poll(async () => (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ok' })
      const out = await printed(['list-tokens', '-o', 'json'], env)
      await during()
      server.child.kill('SIGINT')
      expect((await server.ended).code).toBe(0)
      return JSON.parse(out)[0].id
    }
    const first = await tokenOf(async () => {
      const [status, second, reset] = await Promise.all([
        printed(['status'], env),
        caelus(['up', '--no-control-plane'], env),
        caelus(['reset', '--yes'], env),
      ])
      expect(status).toMatch(/postgresql +ok/)
      expect(second).toMatchObject({ code: 1, err: expect.stringContaining('DataDirInUse') })
      expect(reset).toMatchObject({ code: 1, err: expect.stringContaining('DataDirInUse') })
    })
    expect(await tokenOf(() => Promise.resolve())).toBe(first)
    expect(await caelus(['reset'], env)).toMatchObject({ code: 1, err: expect.stringContaining('NotConfirmed') })
    expect(await printed(['reset', '--yes'], env)).toBe(`removed ${env.CAELUS_DATA_DIR}\n`)
    expect(await printed(['reset', '--yes'], env)).toBe('there is nothing to remove\n')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
