import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { KubeObject } from '../src/kube/index.ts'
import { bundle } from '../tools/release/bundle.ts'
import {
  measureFairness,
  measureFlux,
  measureHelmLoop,
  measureMany,
  measurePreviews,
  measureReleases,
} from './apps/index.ts'
import { measureStatus } from './clusters/status.ts'
import { measureSyncs } from './clusters/syncs.ts'
import { measureController, type ControllerPeer, type Workload } from './controller.ts'
import { echoLoad } from './echo-load.ts'
import { goPeer } from './go-peer.ts'
import { table, type Row } from './measure.ts'
import { measureQueues, otherQueues } from './queue.ts'
import { runtimesLoad } from './runtimes-load.ts'

/**
 * `npm run bench [-- queue|controller|runtimes|apps|clusters] [--rounds 3] [--n 1000] [--part releases]`
 *
 * Measures Caelus and its peers by turns in one run: machines are noisy, so only ratios are comparable. `--part` chooses
 * parts of apps or clusters and may be repeated.
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

/** A controller of ours as a release has it, built before anything is measured. */
async function ourController(name: string): Promise<ControllerPeer> {
  await bundle({ programs: { [name]: join(import.meta.dirname, `${name}.ts`) }, dir: results })
  return { name: OURS, command: [process.execPath, join(results, `${name}.mjs`)] }
}

async function inTurn<T extends KubeObject>(
  load: Workload<T>,
  peers: readonly ControllerPeer[],
  rounds: number,
): Promise<void> {
  const rows: Row[] = []
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) {
      for (const row of await measureController(load, peer, Number(values.n ?? 1_000))) keepIn(rows)(row)
    }
  }
  console.log(`\n${table(rows, OURS)}\n`)
}

async function controllers(rounds: number): Promise<void> {
  // Built here, so that the script does not build it while it is measured.
  const { name } = await ourController('controller-peer')
  const ours = { name, command: [join(import.meta.dirname, 'peers', 'controller')] }
  const skipping = { command: [goPeer('controller-runtime', results)], env: { ECHO_SKIP_SAME: '1' } }
  await inTurn(echoLoad, [ours, { name: 'controller-runtime-skip', ...skipping }], rounds)
}

async function runtimes(rounds: number): Promise<void> {
  const peer = { name: 'controller-runtime', command: [goPeer('controller-runtime', results, './runtimes')] }
  await inTurn(runtimesLoad, [await ourController('runtimes-peer'), peer], rounds)
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
  previews: (keep, n = 50) => measurePreviews(OURS, n, keep),
  fairness: (keep, n = 50) => measureFairness(OURS, n, keep),
  many: (keep, n = 1_000) => measureMany(OURS, n, keep),
}

/** A benchmark of parts: all of them, or those of `--part`. */
const inParts =
  (parts: Readonly<Record<string, Part>>) =>
  async (rounds: number): Promise<void> => {
    const rows: Row[] = []
    for (let round = 0; round < rounds; round++) {
      for (const name of values.part ?? Object.keys(parts)) {
        const part = parts[name]
        if (part === undefined) throw new Error(`unknown part ${name}: choose from ${Object.keys(parts).join(', ')}`)
        await part(keepIn(rows), values.n === undefined ? undefined : Number(values.n))
      }
    }
    console.log(`\n${table(rows, OURS)}\n`)
  }

const PARTS_OF_CLUSTERS: Readonly<Record<string, Part>> = {
  syncs: (keep, n = 5_000) => measureSyncs({ peer: OURS, program: 'clusters-peer', n, keep }),
  original: (keep, n = 5_000) => measureSyncs({ peer: 'original loop', program: 'clusters-original', n, keep }),
  status: (keep, n = 1_000) => measureStatus(OURS, n, keep),
}

const PARTS: Readonly<Record<string, (rounds: number) => Promise<void>>> = {
  queue: queues,
  controller: controllers,
  runtimes,
  apps: inParts(PARTS_OF_APPS),
  clusters: inParts(PARTS_OF_CLUSTERS),
}

for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const part = PARTS[name]
  if (part === undefined) throw new Error(`unknown benchmark ${name}: choose from ${Object.keys(PARTS).join(', ')}`)
  await part(Number(values.rounds))
}
