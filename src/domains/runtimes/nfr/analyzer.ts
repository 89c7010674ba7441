import { every, failureOf, type Clock, type Failure, type Emitter, type Service } from '../../../kernel/index.ts'
import { at, type Client } from '../../../kube/index.ts'
import type { Caches } from '../watch/caches.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { record } from '../record.ts'
import type { NfrSettings } from '../settings.ts'
import { reduce } from '../status.ts'
import type { NfrEvents } from './events.ts'
import { defaultQueries, measure, type MetricQueries } from './measure.ts'
import type { MetricsSource } from './metrics-source.ts'
import { loadsOf, recommendationsFor, updateOf, worthWriting, type Found, type Loads } from './recommendations.ts'

export interface AnalyzerOptions {
  readonly client: Client
  readonly caches: Pick<Caches, 'runtimes' | 'pods'>
  readonly source: MetricsSource
  readonly clock: Clock
  readonly settings: Pick<NfrSettings, 'maxAgeMs'>
  readonly emitter: Pick<Emitter<NfrEvents>, 'emit'>
  /** How often all runtimes are looked at. @default 60_000 */
  readonly intervalMs?: number
  /** @default defaultQueries() */
  readonly queries?: MetricQueries
}

/** Statuses that are written at once. */
const WRITERS = 8
/** The controller writes the same status; this often it may be first. */
const ATTEMPTS = 5
/** Before a runtime is up its load says nothing, and one that is degraded is not judged by its load. */
const PHASES: ReadonlySet<string> = new Set(['available', 'progressing'])

/**
 * Recommends, on the leader, what the functions of all runtimes should have: four queries however many there are.
 *
 * A recommendation is never taken back, it grows old. One that has not changed is written again only when it is a third of the
 * way to being too old, so that a quiet control plane costs little. While Prometheus does not answer, nothing is written.
 */
export function analyzer(options: AnalyzerOptions): Service {
  const { clock, emitter, intervalMs = 60_000 } = options
  const analyze = async (signal: AbortSignal): Promise<void> => {
    const since = clock.now()
    const report = await look(options, signal).catch((error: unknown) => ({
      runtimes: 0,
      written: 0,
      failures: [failureOf(error)],
    }))
    if (!signal.aborted) emitter.emit('runtimes:analyzed', { ...report, ms: clock.now() - since })
  }
  return every('analyzer of runtimes', intervalMs, analyze, { clock })
}

interface Report {
  readonly runtimes: number
  readonly written: number
  readonly failures: readonly Failure[]
}

async function look(options: AnalyzerOptions, signal: AbortSignal): Promise<Report> {
  const { caches, source, queries = defaultQueries() } = options
  const measured = await measure(source, queries, signal)
  const failures: Failure[] = [...measured.failures]
  if (measured.pods.size === 0) return { runtimes: 0, written: 0, failures }
  const loads = loadsOf(caches.pods.list(), measured)
  const runtimes = caches.runtimes.list().filter(isAnalyzed)
  const waiting = runtimes.values()
  let written = 0
  const write = async (): Promise<void> => {
    for (const runtime of waiting) {
      try {
        if (await recommend(options, runtime, loads, signal)) written++
      } catch (error) {
        if (signal.aborted) throw error
        failures.push(failureOf(error))
      }
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
  return { runtimes: runtimes.length, written, failures }
}

const isAnalyzed = ({ metadata, spec, status }: ClassRuntime): boolean =>
  metadata.deletionTimestamp === undefined && spec.enforcement?.mode !== 'off' && PHASES.has(status?.phase ?? '')

/** True: it was written. */
async function recommend(
  options: AnalyzerOptions,
  seen: ClassRuntime,
  loads: Loads,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, caches, clock, settings } = options
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const runtime = caches.runtimes.get(at(seen))
    if (runtime === undefined || !isAnalyzed(runtime)) return false
    const now = clock.now()
    const found = worthWriting(runtime, recommendationsFor(runtime, loads, now), settings.maxAgeMs, now)
    if (Object.keys(found).length === 0) return false
    const status = reduce(runtime.status ?? {}, 'analyzer', updateOf(runtime, found), now)
    const outcome = await record(client, caches, runtime, status, signal)
    if (outcome !== 'outdated') {
      tell(options, runtime, found)
      return outcome === 'written'
    }
  }
  return false
}

function tell({ emitter }: AnalyzerOptions, { metadata }: ClassRuntime, found: Found): void {
  const runtime = `${metadata.namespace}/${metadata.name}`
  for (const { functionKey, dimension, value, confidence, basis } of Object.values(found)) {
    emitter.emit('runtimes:recommended', { runtime, functionKey, dimension, value, confidence, basis })
  }
}
