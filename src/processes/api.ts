import { openAppsControlPlane } from './apps/control-plane.ts'
import type { Config } from '../config/index.ts'
import { atEnd, systemClock, type Service } from '../kernel/index.ts'
import { runUntilStopped } from './run.ts'
import { connectKubernetes } from './shared/connect.ts'
import { neededDatabaseUrl, type Env } from './shared/environment.ts'
import { controlPlaneReport } from './shared/kubernetes-report.ts'
import { assemble, type Serving } from './shared/serve.ts'
import { tracingServices } from './shared/telemetry.ts'
import { VERSION } from '../version.ts'

/** `caelus api`: serves the API and the console on an external database until a stop signal. */
export async function runApi(config: Config, env: Env): Promise<void> {
  const databaseUrl = neededDatabaseUrl(config)
  const sessionKey = config.sessionKey && Buffer.from(config.sessionKey.reveal(), 'base64')
  const serving = await assemble({
    config,
    env,
    databaseUrl,
    devLogin: config.devLogin ?? false,
    ...(sessionKey && { sessionKey }),
    ...(config.valuesKey && { valuesKey: config.valuesKey.reveal() }),
    localCharts: config.localCharts ?? false,
  })
  const { log, failures, http } = serving
  const services = [
    atEnd('api connections', () => serving.close()),
    ...tracingServices(config),
    ...serving.services,
    ...(config.kubeconfig === undefined ? [] : await connect(config, env, databaseUrl, config.kubeconfig, serving)),
  ]
  await runUntilStopped(services, {
    log,
    graceMs: config.shutdownGrace,
    onStarted: () => log.info({ url: http.url(), version: VERSION }, 'Serving'),
    lastFailure: () => failures.last(),
  })
}

/** Lets the API read the control plane. Returns the services for that. */
async function connect(
  config: Config,
  env: Env,
  databaseUrl: string,
  kubeconfig: string,
  serving: Serving,
): Promise<Service[]> {
  const { board, checks, useCases, kernel } = serving
  const transport = await connectKubernetes({ kubeconfig, env, emitter: kernel })
  const report = controlPlaneReport(transport, 'external', board, systemClock)
  checks.push(report.check)
  const helm = config.helmBin ?? 'helm'
  const controlPlane = await openAppsControlPlane({
    config,
    env,
    databaseUrl,
    role: 'caelus_api',
    useCases,
    transport,
    kubeconfig,
    helm,
  })
  serving.see(controlPlane.insight)
  const close = async (): Promise<void> => {
    await controlPlane.close()
    await transport.close()
  }
  return [atEnd('control plane connections', close), report.service, ...serving.runtimes.see(transport)]
}
