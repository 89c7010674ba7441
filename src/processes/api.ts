import { INSTALLATION, RETENTION, SERVER, TELEMETRY, type Config, type Env } from '../config/index.ts'
import { atEnd, systemClock } from '../kernel/index.ts'
import { openDomains } from './domains.ts'
import { runUntilStopped, type Running } from './run.ts'
import { connectKubernetes } from './shared/connect.ts'
import { neededDatabaseUrl, secretsIn } from './shared/environment.ts'
import { openHost } from './shared/host.ts'
import { controlPlaneReport } from './shared/kubernetes-report.ts'
import { retentionServices } from './shared/retention.ts'
import { assemble, type Serving } from './shared/serve.ts'
import { tracingServices } from './shared/telemetry.ts'
import { VERSION } from '../version.ts'

/** `caelus api`: serves the API and the console on an external database until a stop signal. */
export async function runApi(config: Config, env: Env): Promise<void> {
  const databaseUrl = neededDatabaseUrl(config)
  const domains = await openDomains()
  const host = openHost({ config, env, domains, secrets: secretsIn(databaseUrl) })
  const { log, failures } = host
  const open = async (running: Running): Promise<void> => {
    const { begin } = running
    const serving = await assemble({ host, domains, databaseUrl })
    await begin(atEnd('api connections', () => serving.close()))
    const pruning = retentionServices(config.of(RETENTION), { url: databaseUrl, role: 'caelus_api' }, (error) =>
      serving.onError(error, 'Old rows not deleted'),
    )
    await Promise.all([...tracingServices(config.of(TELEMETRY)), ...serving.services].map(begin))
    for (const service of pruning) await begin(service)
    await connectAlone(serving, running)
    const { kubeconfig } = config.of(INSTALLATION)
    if (kubeconfig !== undefined) await connect(serving, kubeconfig, running)
    log.info({ url: serving.http.url(), version: VERSION }, 'API started')
  }
  const graceMs = config.of(SERVER).shutdownGrace
  await runUntilStopped(open, { log, graceMs, lastFailure: () => failures.last() })
}

/** Lets the API read what is no control plane, such as a garden. */
async function connectAlone({ domains }: Serving, { begin, waitFor }: Running): Promise<void> {
  for (const domain of domains) {
    const connecting = domain.connectAlone?.()
    if (connecting === undefined) continue
    for (const service of await waitFor(domain.name, connecting)) await begin(service)
  }
}

/** Lets the API read the control plane. */
async function connect(
  { env, emitter, board, checks, domains }: Serving,
  kubeconfig: string,
  { begin, waitFor }: Running,
): Promise<void> {
  const transport = await connectKubernetes({ kubeconfig, env, emitter })
  await begin(atEnd('control plane connections', () => transport.close()))
  const report = controlPlaneReport(transport, 'external', board, systemClock)
  checks.push(report.check)
  await begin(report.service)
  const controlPlane = { transport, kubeconfig, client: report.client }
  for (const domain of domains) {
    const connecting = domain.connect?.(controlPlane)
    if (connecting === undefined) continue
    for (const service of await waitFor(domain.name, connecting)) await begin(service)
  }
}
