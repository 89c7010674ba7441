import { readiness } from '../api/index.ts'
import type { ControllersOptions } from '../cli/index.ts'
import { INSTALLATION, RETENTION, SERVER, TELEMETRY, WORKERS, type Config, type Env } from '../config/index.ts'
import { openDomains } from './domains.ts'
import { atEnd, systemClock, type Service } from '../kernel/index.ts'
import { beginSideBySide, runUntilStopped, type Running } from './run.ts'
import { connectKubernetes } from './shared/connect.ts'
import { neededKubeconfig } from './shared/environment.ts'
import { openHost, type Host } from './shared/host.ts'
import { decisionServices } from './shared/kept-decisions.ts'
import { probeAddress, probes } from './shared/probes.ts'
import { retentionServices } from './shared/retention.ts'
import { tracingServices } from './shared/telemetry.ts'
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
      probeAddress(config),
      readiness(() => checks, systemClock, scrub),
      metrics,
    )
    for (const service of [...tracingServices(config.of(TELEMETRY)), probing.service, ...databaseServices(host)])
      await begin(service)
    // The caches of a domain whose CRD is not installed do not start before it is.
    await beginSideBySide(
      controllers.map(({ services }) => services),
      begin,
    )
    log.info({ version: VERSION, probes: probing.url() }, 'Controllers started')
  }
  const graceMs = config.of(SERVER).shutdownGrace
  await runUntilStopped(open, { log, graceMs, lastFailure: () => failures.last() })
}

/** A database is optional: with one, decisions are kept and old rows are deleted. */
function databaseServices(host: Host): Service[] {
  const { config, onError } = host
  const url = config.of(INSTALLATION).databaseUrl?.reveal()
  if (url === undefined) return []
  return [
    ...decisionServices(host, url),
    ...retentionServices(config.of(RETENTION), { url, role: 'caelus_worker' }, (error) =>
      onError(error, 'Old rows not deleted'),
    ),
  ]
}
