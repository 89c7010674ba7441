import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../src/main.ts')

/** The login that `caelus up` leaves for the commands of this machine, to a port where nothing listens. */
const dataDir = mkdtempSync(join(tmpdir(), 'caelus-startup-'))
writeFileSync(join(dataDir, 'login.json'), JSON.stringify({ url: 'http://127.0.0.1:9', token: 'token' }))
afterAll(() => rmSync(dataDir, { recursive: true }))

/** Prints the path of every module that Node loads, at the end of standard error. */
const LIST_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  process.on('exit', () => process.stderr.write('\\nloaded: ' + JSON.stringify(loaded)))
`)}`

/** The npm packages that a command loads. The number of modules decides how long a short command takes. */
const packagesOf = (...args: string[]): Promise<readonly string[]> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], CAELUS_DATA_DIR: dataDir }
    execFile(process.execPath, ['--import', LIST_MODULES, MAIN, ...args], { env }, (_, __, err) => {
      const urls = JSON.parse(err.slice(err.lastIndexOf('loaded: ') + 'loaded: '.length)) as string[]
      resolve([...new Set(urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []))])
    })
  })

test.each(['version', '--help', 'list-deployments', 'config'])(
  '`caelus %s` loads the parser of the command line and no other package',
  async (command) => {
    expect(await packagesOf(command)).toEqual(['commander'])
  },
)

test('only -o yaml loads the YAML writer', async () => {
  expect(await packagesOf('config', '-o', 'json')).toEqual(['commander'])
  expect(await packagesOf('config', '-o', 'yaml')).toEqual(['commander', 'yaml'])
})
