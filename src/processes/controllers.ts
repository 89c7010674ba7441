import { readiness } from '../api/index.ts'
import type { ControllersOptions } from '../cli/index.ts'
import { INSTALLATION, RETENTION, SERVER, TELEMETRY, WORKERS, type Config, type Env } from '../config/index.ts'
import { openDomains } from './domains.ts'
import { atEnd, systemClock, type Service } from '../kernel/index.ts'
import { runUntilStopped, type Running } from './run.ts'
import { connectKubernetes } from './shared/connect.ts'
import { neededKubeconfig } from './shared/environment.ts'
import { openHost, type Host } from './shared/host.ts'
import { probes } from './shared/probes.ts'
import { retentionServices } from './shared/retention.ts'
import { tracingServices } from './shared/telemetry.ts'
import { keepDecisions, openPool } from '../store/index.ts'
import { VERSION } from '../version.ts'

/**
 * `caelus run-controllers`: runs the controllers of custom resources on an external control plane until a
 * stop signal.
 */
export async function runControllers(config: Config, env: Env, options: ControllersOptions = {}): Promise<void> {
  const kubeconfig = neededKubeconfig(config)
  const domains = (await openDomains()).filter((domain) => domain.controllers !== undefined)
  const host = openHost({ config, env, domains })
  const { log, failures, metrics, scrub, emitter } = host
  const open = async ({ begin }: Running): Promise<void> => {
    const transport = await connectKubernetes({ kubeconfig, env, emitter })
    await begin(atEnd('control plane connections', () => transport.close()))
    const concurrency = options.concurrency ?? config.of(WORKERS).concurrency
    const controllers = domains.flatMap((domain) => domain.controllers?.({ ...host, transport, concurrency }) ?? [])
    const checks = controllers.map(({ check }) => check)
    const probing = probes(
      config,
      readiness(() => checks, systemClock, scrub),
      metrics,
    )
    const services = [
      ...tracingServices(config.of(TELEMETRY)),
      probing.service,
      ...databaseServices(
        host,
        domains.map(({ name }) => name),
      ),
      ...controllers.flatMap((one) => one.services),
    ]
    for (const service of services) await begin(service)
    log.info({ version: VERSION, probes: probing.url() }, 'Controllers started')
  }
  const graceMs = config.of(SERVER).shutdownGrace
  await runUntilStopped(open, { log, graceMs, lastFailure: () => failures.last() })
}

/** A database is optional: with one, decisions are kept and old rows are deleted. */
function databaseServices({ config, decisions, onError }: Host, controllers: readonly string[]): Service[] {
  const url = config.of(INSTALLATION).databaseUrl?.reveal()
  if (url === undefined) return []
  const pool = openPool({ url, applicationName: 'caelus controllers', role: 'caelus_worker', max: 2 })
  const notKept = (error: unknown): void => onError(error, 'Decision not kept')
  return [
    atEnd('database connections', () => pool.end()),
    ...controllers.map((controller) => keepDecisions({ pool, decisions, controller, onError: notKept })),
    ...retentionServices(config.of(RETENTION), { url, role: 'caelus_worker' }, (error) =>
      onError(error, 'Old rows not deleted'),
    ),
  ]
}
