import { expect, test } from 'vitest'
import { runCli, type AddCommands } from '../program.ts'
import { appsCommands } from './apps/index.ts'
import type { AppsCliPorts } from './apps/worker.ts'
import { clustersCommands } from './clusters/index.ts'
import type { ClustersCliPorts } from './clusters/worker.ts'

/** Without a server: what is wrong with the command line is told before one is asked. */
async function run(args: readonly string[]) {
  let err = ''
  const terminal = {
    out: () => {},
    err: (text: string) => void (err += text),
    isInteractive: false,
    ask: () => Promise.resolve(''),
  }
  const remote = () => Promise.reject(new Error('a server was asked'))
  const ports = { version: '1.2.3', terminal, remote } as unknown as AppsCliPorts & ClustersCliPorts
  const domains: AddCommands[] = [
    (program) => appsCommands(program, ports),
    (program) => clustersCommands(program, ports),
  ]
  return { code: await runCli(args, ports, domains), err }
}

test.each([
  [
    'update-cluster prod',
    '--name, --kubernetes-version, --node-pool, --hibernate, --wake-up, --maintenance, --no-maintenance, --auto-update',
  ],
  ['update-cluster prod --dry-run --organization shop -o json', '--name'],
  ['update-node-pool prod default --wait', '--machine-type, --min, --max'],
  ['set-organization-limits shop', '--max-clusters, --max-nodes, --regions, --machine-types'],
  ['update-user ann@example.com', '--email, --admin, --no-admin'],
  ['update-product Hello', '--name, --description, --icon, --template'],
  ['update-deployment hello.example.com --wait', '--domain, --template, --values-file, --values-json'],
])('`caelus %s` says what can be changed', async (line, options) => {
  const { code, err } = await run(line.split(' '))
  expect(code).toBe(2)
  expect(err).toContain(`error: nothing is to be changed; give at least one of ${options}`)
  expect(err).toContain(`(caelus ${line.split(' ')[0]} --help shows its options)`)
})

test.each([
  ['update-cluster', 'prod', '--no-maintenance'],
  ['update-cluster', 'prod', '--wake-up'],
  ['update-node-pool', 'prod', 'default', '--min', '0'],
  ['set-organization-limits', 'shop', '--regions', 'all'],
  ['update-user', 'ann@example.com', '--no-admin'],
])('`caelus %s %s %s` asks the server', async (...args) => {
  expect((await run(args)).err).toContain('a server was asked')
})

test.each(['-1', '', 'all'])('--max-nodes %j is no number', async (most) => {
  const { code, err } = await run(['set-organization-limits', 'shop', '--max-nodes', most])
  expect([code, err]).toEqual([2, expect.stringContaining('It must be a whole number from 0, or none for no limit.')])
})

test.each(['', ' ', 'local,', ',', 'all,local,'])('--regions %j names nothing', async (regions) => {
  const { code, err } = await run(['set-organization-limits', 'shop', '--regions', regions])
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('It must be names separated by commas, or all for no limit.'),
  ])
})
