import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureFairness, measureFlux, measureHelmLoop, measureMany, measureReleases } from './apps/index.ts'
import { measureController, type ControllerPeer } from './controller.ts'
import { goPeer } from './go-peer.ts'
import { table, type Row } from './measure.ts'
import { measureQueues, otherQueues } from './queue.ts'

/**
 * `npm run bench [-- queue|controller|apps] [--rounds 3] [--n 1000] [--part releases]`: our figures beside those of the peers, in the same run and in turn,
 * because machines are noisy and only the ratio says something. `--part` chooses among those of apps, and may be given several times.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    n: { type: 'string' },
    part: { type: 'string', multiple: true },
  },
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

type Part = (keep: (row: Row) => void, n: number | undefined) => Promise<void>

const flux =
  (peer: string, wait: boolean): Part =>
  (keep, n = 50) =>
    measureFlux({ peer, wait, n, outDir: results, keep })

/** In the order in which a round takes them. */
const PARTS_OF_APPS: Readonly<Record<string, Part>> = {
  releases: (keep, n = 50) => measureReleases(OURS, n, keep),
  helm: (keep, n = 50) => measureHelmLoop(false, n, keep),
  'helm-wait': (keep, n = 50) => measureHelmLoop(true, n, keep),
  flux: flux('flux', true),
  'flux-nowait': flux('flux-nowait', false),
  fairness: (keep, n = 50) => measureFairness(OURS, n, keep),
  many: (keep, n = 1_000) => measureMany(OURS, n, keep),
}

async function apps(rounds: number): Promise<void> {
  const rows: Row[] = []
  for (let round = 0; round < rounds; round++) {
    for (const name of values.part ?? Object.keys(PARTS_OF_APPS)) {
      const part = PARTS_OF_APPS[name]
      if (part === undefined)
        throw new Error(`unknown part ${name}: choose from ${Object.keys(PARTS_OF_APPS).join(', ')}`)
      await part(keepIn(rows), values.n === undefined ? undefined : Number(values.n))
    }
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
