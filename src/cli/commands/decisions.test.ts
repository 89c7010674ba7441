import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { CliPorts } from '../ports.ts'
import { runCli } from '../program.ts'

/** Runs a command against a server that answers by `METHOD /path?query`. */
async function run(args: readonly string[], answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url?.slice('/api/v1'.length)}`
    asked.push(name)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[name] ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  let [out, err] = ['', '']
  const ports = {
    version: '1.2.3',
    terminal: { out: (text: string) => (out += text), err: (text: string) => (err += text), isInteractive: false },
    remote: async () => ({ url: `http://127.0.0.1:${port}`, token: 't' }),
  } as unknown as CliPorts
  try {
    return { code: await runCli(args, ports, []), asked, out, err }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const SAME = { result: 'same', because: null, changes: [], version: '1.2.3' }
const changes = [
  { field: 'step.do', change: 'changed', before: 'install', after: 'upgrade' },
  { field: 'step.hooks', change: 'removed', before: null },
  { field: 'step.text', change: 'added', after: 'x'.repeat(100) },
]

test.each([
  ['same', SAME, 0, 'version 1.2.3 makes decision 7 again from its recorded input\n'],
  [
    'different',
    { ...SAME, result: 'different', changes },
    1,
    `version 1.2.3 decides otherwise than decision 7, from the same input
FIELD       RECORDED   NOW
step.do     "install"  "upgrade"
step.hooks  null       (absent)
step.text   (absent)   "${'x'.repeat(59)}…
`,
  ],
  [
    'not replayable',
    { ...SAME, result: 'not_replayable', because: 'masked fields: input.a' },
    2,
    'decision 7 is not replayable: masked fields: input.a\n',
  ],
])('replay-decision answers %s with its exit code', async (_, replay, code, out) => {
  const answers = { 'POST /decisions/7:replay': replay }
  expect(await run(['replay-decision', '7'], answers)).toMatchObject({ code, out, err: '' })
  const json = await run(['replay-decision', '7', '-o', 'json'], answers)
  expect([json.code, JSON.parse(json.out)]).toEqual([code, replay])
})

test('list-decisions asks for as many as are wanted, page by page', async () => {
  const row = (id: number) => ({
    id: String(id),
    at: '2030-01-01T00:00:00Z',
    controller: 'apps',
    kind: 'Deployment',
    object_id: 'd1',
    decision: 'install',
    outcome: null,
    ms: null,
    repeats: id,
  })
  const first = Array.from({ length: 200 }, (_, index) => row(index))
  const { code, asked, out } = await run(
    ['list-decisions', '--controller', 'apps', '--outcome', 'terminal', '--limit', '201'],
    {
      'GET /decisions?controller=apps&outcome=terminal&limit=200': { items: first, next_cursor: 'c' },
      'GET /decisions?controller=apps&outcome=terminal&limit=1&cursor=c': { items: [row(999)], next_cursor: 'd' },
    },
  )
  expect([code, asked.length]).toEqual([0, 2])
  const lines = out.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^ID +AT +CONTROLLER +OBJECT +DECISION +OUTCOME +MS +TIMES$/)
  expect(lines).toHaveLength(202)
  expect(lines[201]).toMatch(/^999 .* install +- +- +1000$/)
  expect((await run(['list-decisions', '--outcome', 'unheard'], {})).code).toBe(2)
})
