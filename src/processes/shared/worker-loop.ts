import { readiness, type Check } from '../../api/index.ts'
import { RETENTION, TELEMETRY } from '../../config/index.ts'
import { atEnd, systemClock, type Service } from '../../kernel/index.ts'
import { openPool } from '../../store/index.ts'
import { VERSION } from '../../version.ts'
import { runUntilStopped, type Running } from '../run.ts'
import { databaseAnswers, databaseCheck } from './database.ts'
import type { Host } from './host.ts'
import { decisionServices } from './kept-decisions.ts'
import { probes, type ProbeAddress } from './probes.ts'
import { retentionServices } from './retention.ts'
import { tracingServices } from './telemetry.ts'

export interface WorkerLoop {
  readonly host: Host
  /** With the login of workers. */
  readonly databaseUrl: string
  /** The queue that it works on. */
  readonly queue: string
  readonly address: ProbeAddress
  /** How long work under way may take to finish after a stop. */
  readonly graceMs: number
  /** Makes what does not need the database. */
  readonly connect: () => Promise<ConnectedWorker>
}

export interface ConnectedWorker {
  /** For /readyz, beside that of the database. */
  readonly checks: readonly Check[]
  /** The worker itself, opened once the database answers. Its services are started in this order. */
  readonly open: () => Promise<Closable & { readonly services: readonly Service[] }>
  readonly close: Closable['close']
}

interface Closable {
  /** Called after the services have stopped. */
  close(): Promise<void>
}

/** Runs a worker with its probes, its metrics and the retention of its rows, until a stop signal. */
export async function runWorkerLoop(loop: WorkerLoop): Promise<void> {
  const { host, databaseUrl, queue, address, graceMs, connect } = loop
  const { config, scrub, log, failures, metrics, onError } = host
  const start = async ({ begin, waitFor }: Running): Promise<void> => {
    const connected = await connect()
    await begin(atEnd('connections of the worker', () => connected.close()))
    const probed = openPool({ url: databaseUrl, applicationName: 'caelus probes', role: 'caelus_worker', max: 1 })
    await begin(atEnd('database connection of the probes', () => probed.end()))
    const checks = [databaseCheck(probed), ...connected.checks]
    const probing = probes(
      address,
      readiness(() => checks, systemClock, scrub),
      metrics,
    )
    for (const service of [...tracingServices(config.of(TELEMETRY)), probing.service]) await begin(service)
    await begin(databaseAnswers(probed, failures))
    const worker = await waitFor('database', connected.open())
    await begin(atEnd('worker', () => worker.close()))
    const services = [
      ...retentionServices(config.of(RETENTION), { url: databaseUrl, role: 'caelus_worker' }, (error) =>
        onError(error, 'Old rows not deleted'),
      ),
      ...decisionServices(host, databaseUrl),
      ...worker.services,
    ]
    for (const service of services) await begin(service)
    log.info({ version: VERSION, queue, probes: probing.url() }, 'Worker started')
  }
  await runUntilStopped(start, { log, graceMs, lastFailure: () => failures.last() })
}
