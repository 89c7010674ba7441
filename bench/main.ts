import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAppsWorker, measureHelmLoop } from './apps.ts'
import { goPeer, measureController, type ControllerPeer } from './controller.ts'
import { table, type Row } from './measure.ts'

/**
 * `npm run bench [-- controller|apps] [--rounds 3] [--n 1000]`: our figures beside those of the peers, in the same run and in turn, because machines
 * are noisy and only the ratio says something.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, n: { type: 'string' } },
})

const results = join(import.meta.dirname, 'results')
mkdirSync(results, { recursive: true })
const file = join(results, `${new Date().toISOString().replaceAll(':', '-')}.jsonl`)

function keep(rows: readonly Row[]): readonly Row[] {
  for (const row of rows) {
    console.log(JSON.stringify(row))
    appendFileSync(file, `${JSON.stringify(row)}\n`)
  }
  return rows
}

const OURS = 'caelus'

async function controllers(rounds: number): Promise<void> {
  const n = Number(values.n ?? 1_000)
  const peers: ControllerPeer[] = [
    { name: OURS, command: [join(import.meta.dirname, 'peers', 'controller')] },
    { name: 'controller-runtime-skip', command: [goPeer('controller-runtime', results)], env: { ECHO_SKIP_SAME: '1' } },
  ]
  const rows: Row[] = []
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) rows.push(...keep(await measureController(peer, n)))
  }
  console.log(`\n${table(rows, OURS)}\n`)
}

async function apps(rounds: number): Promise<void> {
  const n = Number(values.n ?? 50)
  const rows: Row[] = []
  const add = (row: Row): void => void rows.push(...keep([row]))
  for (let round = 0; round < rounds; round++) {
    await measureAppsWorker(OURS, n, add)
    await measureHelmLoop(n, add)
  }
  console.log(`\n${table(rows, OURS)}\n`)
}

const PARTS: Readonly<Record<string, (rounds: number) => Promise<void>>> = { controller: controllers, apps }

/** The processes whose end is waited for between two parts do not keep this one alive. */
const awake = setInterval(() => {}, 60_000)
for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const part = PARTS[name]
  if (part === undefined) throw new Error(`unknown benchmark ${name}: choose from ${Object.keys(PARTS).join(', ')}`)
  await part(Number(values.rounds))
}
clearInterval(awake)
