import { INSTALLATION, RETENTION, SERVER, TELEMETRY, type Config, type Env } from '../config/index.ts'
import { atEnd, systemClock, type Service } from '../kernel/index.ts'
import { openDomains } from './domains.ts'
import { runUntilStopped } from './run.ts'
import { connectKubernetes } from './shared/connect.ts'
import { neededDatabaseUrl } from './shared/environment.ts'
import { controlPlaneReport } from './shared/kubernetes-report.ts'
import { retentionServices } from './shared/retention.ts'
import { assemble, type Serving } from './shared/serve.ts'
import { tracingServices } from './shared/telemetry.ts'
import { VERSION } from '../version.ts'

/** `caelus api`: serves the API and the console on an external database until a stop signal. */
export async function runApi(config: Config, env: Env): Promise<void> {
  const databaseUrl = neededDatabaseUrl(config)
  const serving = await assemble({ config, env, domains: await openDomains(), databaseUrl })
  const { log, failures, http, onError } = serving
  const { kubeconfig } = config.of(INSTALLATION)
  const services = [
    atEnd('api connections', () => serving.close()),
    ...tracingServices(config.of(TELEMETRY)),
    ...serving.services,
    ...retentionServices(config.of(RETENTION), { url: databaseUrl, role: 'caelus_api' }, (error) =>
      onError(error, 'Old rows not deleted'),
    ),
    ...(kubeconfig === undefined ? [] : await connect(serving, kubeconfig)),
  ]
  await runUntilStopped(services, {
    log,
    graceMs: config.of(SERVER).shutdownGrace,
    onStarted: () => log.info({ url: http.url(), version: VERSION }, 'API started'),
    lastFailure: () => failures.last(),
  })
}

/** Lets the API read the control plane. Returns the services for that. */
async function connect({ env, emitter, board, checks, domains }: Serving, kubeconfig: string): Promise<Service[]> {
  const transport = await connectKubernetes({ kubeconfig, env, emitter })
  const report = controlPlaneReport(transport, 'external', board, systemClock)
  checks.push(report.check)
  const services = [atEnd('control plane connections', () => transport.close()), report.service]
  const controlPlane = { transport, kubeconfig, client: report.client }
  for (const domain of domains) services.push(...((await domain.connect?.(controlPlane)) ?? []))
  return services
}
