import { expect, test } from 'vitest'
import type { CliPorts, Terminal } from './ports.ts'
import { buildProgram, runCli } from './program.ts'
import { cliReference } from './reference.ts'

const PORTS = { version: '1.2.3', terminal: {} } as CliPorts

async function run(line: string) {
  let [out, err] = ['', '']
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isInteractive: false,
    ask: () => Promise.resolve(''),
  }
  return { code: await runCli(line.split(' '), { ...PORTS, terminal }, []), out, err }
}

test.each([
  [
    'organization',
    `error: unknown command 'organization'
(Did you mean create-organization, list-organizations, get-organization, update-organization, delete-organization?)
(caelus --help lists the commands)\n`,
  ],
  ['list users', `error: unknown command 'list'\n(Did you mean list-users?)\n(caelus --help lists the commands)\n`],
  [
    'control-plane stauts',
    `error: unknown command 'stauts'\n(Did you mean status?)\n(caelus control-plane --help lists the commands)\n`,
  ],
  [
    'list-decisions --outcom retry',
    `error: unknown option '--outcom'\n(Did you mean --outcome?)\n(caelus list-decisions --help shows its options)\n`,
  ],
  [
    'update-member Acme bob@example.com',
    `error: required option '--role <role>' not specified\n(caelus update-member --help shows its options)\n`,
  ],
])('`caelus %s` says what was wrong, what may be meant, and where help is', async (line, err) => {
  expect(await run(line)).toEqual({ code: 2, out: '', err })
})

test('help lists every command under a heading', async () => {
  const { code, out } = await run('--help')
  expect(code).toBe(0)
  expect(out).not.toContain('\nCommands:')
  expect(out).toMatch(/\nOperate:\n {2}status .*\n[\s\S]*\nShell:\n[\s\S]* {2}help \[command\]/)
})

test('the reference and the help show numbers as numbers and durations as durations', async () => {
  const page = cliReference(buildProgram(PORTS, []))
  expect(page).toContain('at most this many (default 50)')
  expect(page).toContain('exit code 3 if it takes longer (default 5m)')
  expect((await run('status --help')).out).toContain('(default: 5m)')
})
