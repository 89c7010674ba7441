import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../tools/postgres/postgres.ts'
import { goPeer } from './go-peer.ts'
import { quantile, round, type Row } from './measure.ts'

export interface QueuePeerProgram {
  readonly name: string
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export const QUEUE_MODES = ['throughput', 'latency'] as const
export type QueueMode = (typeof QUEUE_MODES)[number]

/** The peers that are not ours, installed or built on first use. */
export function otherQueues(outDir: string): QueuePeerProgram[] {
  const folder = join(import.meta.dirname, 'others', 'queue')
  if (!existsSync(join(folder, 'node_modules'))) {
    const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
      cwd: folder,
      stdio: 'inherit',
    })
    if (status !== 0) throw new Error(`failed to install the peers in ${folder}`)
  }
  const node = (name: string): QueuePeerProgram => ({
    name: `${name}-tuned`,
    command: [process.execPath, join(folder, `${name}.mjs`)],
  })
  return [
    node('graphile-worker'),
    node('pg-boss'),
    { name: 'river-tuned', command: [goPeer('river', outDir)], env: { PEER_TUNED: '1' } },
  ]
}

interface Reported {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly rssMiB: number
  readonly latenciesMs?: readonly number[]
  readonly notes: string
}

/** Every peer once in every mode, in turn, on one PostgreSQL with its default durability. */
export async function measureQueues(
  peers: readonly QueuePeerProgram[],
  n: number,
  keep: (row: Row) => void,
): Promise<void> {
  const postgres = await startPostgres({ durable: true })
  try {
    for (const mode of QUEUE_MODES) {
      for (const peer of peers) keep(measureOne(peer, mode, mode === 'latency' ? 200 : n, postgres.url))
    }
  } finally {
    await postgres.stop()
  }
}

function measureOne({ name, command, env }: QueuePeerProgram, mode: QueueMode, n: number, url: string): Row {
  const [program = '', ...args] = command
  const { status, signal, stdout } = spawnSync(program, [...args, mode, String(n)], {
    env: { ...process.env, ...env, DATABASE_URL: url },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 300_000,
  })
  if (status !== 0) throw new Error(`${name} ended with ${status ?? signal}`)
  const {
    seconds,
    cpuSeconds,
    rssMiB,
    latenciesMs = [],
    notes,
  } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Reported
  return {
    bench: `queue.${mode}`,
    peer: name,
    n,
    seconds: round(seconds, 3),
    perSecond: round(n / seconds, 1),
    cpuSeconds: round(cpuSeconds),
    rssMiB: round(rssMiB, 1),
    p50ms: quantile(latenciesMs, 0.5),
    p99ms: quantile(latenciesMs, 0.99),
    notes,
  }
}
