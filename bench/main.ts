import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAppsWorker, measureHelmLoop } from './apps.ts'
import { measureController, type ControllerPeer } from './controller.ts'
import { goPeer } from './go-peer.ts'
import { table, type Row } from './measure.ts'
import { measureQueues, otherQueues } from './queue.ts'

/**
 * `npm run bench [-- queue|controller|apps] [--rounds 3] [--n 1000]`: our figures beside those of the peers, in the same run and in turn, because machines
 * are noisy and only the ratio says something.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, n: { type: 'string' } },
})

const results = join(import.meta.dirname, 'results')
mkdirSync(results, { recursive: true })
const file = join(results, `${new Date().toISOString().replaceAll(':', '-')}.jsonl`)

/** Rows are told and kept as they come, so that a run that breaks off was not for nothing. */
function keepIn(rows: Row[]): (row: Row) => void {
  return (row) => {
    rows.push(row)
    console.log(JSON.stringify(row))
    appendFileSync(file, `${JSON.stringify(row)}\n`)
  }
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
    for (const peer of peers) for (const row of await measureController(peer, n)) keepIn(rows)(row)
  }
  console.log(`\n${table(rows, OURS)}\n`)
}

async function queues(rounds: number): Promise<void> {
  const ours = { name: OURS, command: [join(import.meta.dirname, 'peers', 'queue')] }
  const rows: Row[] = []
  for (let round = 0; round < rounds; round++) {
    await measureQueues([ours, ...otherQueues(results)], Number(values.n ?? 20_000), keepIn(rows))
  }
  console.log(`\n${table(rows, OURS)}\n`)
}

async function apps(rounds: number): Promise<void> {
  const n = Number(values.n ?? 50)
  const rows: Row[] = []
  for (let round = 0; round < rounds; round++) {
    await measureAppsWorker(OURS, n, keepIn(rows))
    await measureHelmLoop(n, keepIn(rows))
  }
  console.log(`\n${table(rows, OURS)}\n`)
}

const PARTS: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  queue: queues,
  controller: controllers,
  apps,
}

for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const part = PARTS[name]
  if (part === undefined) throw new Error(`unknown benchmark ${name}: choose from ${Object.keys(PARTS).join(', ')}`)
  await part(Number(values.rounds))
}
