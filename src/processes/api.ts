import { openAppsControlPlane, type AppsControlPlane } from './apps/control-plane.ts'
import { invalid, type Config } from '../config/index.ts'
import { startAll, systemClock, type Service } from '../kernel/index.ts'
import { httpTransport, loadKubeConfig } from '../kube/index.ts'
import { controlPlaneReport } from './shared/kubernetes-report.ts'
import { assemble } from './shared/serve.ts'
import { aborted, stopSignal } from './shared/stop-signal.ts'
import { tracing } from '../telemetry/index.ts'
import { VERSION } from '../version.ts'

type Env = Readonly<Record<string, string | undefined>>

export function neededDatabaseUrl(config: Config): string {
  if (config.databaseUrl === undefined) {
    throw invalid([
      'DATABASE_URL is not set: this command needs a PostgreSQL of yours, such as postgres://user:password@host/caelus',
    ])
  }
  return config.databaseUrl.reveal()
}

export const tracingServices = ({ otlpEndpoint, otelServiceName }: Config): Service[] =>
  otlpEndpoint === undefined
    ? []
    : [tracing({ endpoint: otlpEndpoint, serviceName: otelServiceName, version: VERSION })]

/** `caelus api`: the API and the console on somebody else's database, until a signal comes. */
export async function runApi(config: Config, env: Env): Promise<void> {
  const sessionKey = config.sessionKey && Buffer.from(config.sessionKey.reveal(), 'base64')
  const serving = await assemble({
    config,
    env,
    databaseUrl: neededDatabaseUrl(config),
    devLogin: config.devLogin ?? false,
    ...(sessionKey && { sessionKey }),
    ...(config.valuesKey && { valuesKey: config.valuesKey.reveal() }),
    localCharts: config.localCharts ?? false,
  })
  const { log, http, board, checks, useCases } = serving
  const services: Service[] = [...tracingServices(config), ...serving.services]
  let controlPlane: AppsControlPlane | undefined
  if (config.kubeconfig !== undefined) {
    const { kubeconfig } = config
    const transport = httpTransport(await loadKubeConfig({ path: kubeconfig, env }))
    const report = controlPlaneReport(transport, 'external', board, systemClock)
    checks.push(report.check)
    services.push(report.service)
    const helm = config.helmBin ?? 'helm'
    const databaseUrl = neededDatabaseUrl(config)
    controlPlane = await openAppsControlPlane({ config, env, databaseUrl, useCases, transport, kubeconfig, helm })
    serving.see(controlPlane.insight)
    services.push(...serving.runtimes.see(transport))
  }
  const signal = stopSignal(() => log.info('Stopping'))
  const stop = await startAll(services)
  log.info({ url: http.url(), version: VERSION }, 'Serving')
  try {
    await Promise.race([aborted(signal), ...services.map(({ done }) => done)])
  } finally {
    await stop()
    await controlPlane?.close()
    await serving.close()
  }
}
