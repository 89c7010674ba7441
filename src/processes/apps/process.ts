import { appsChanges, appsRoutes, type AppsInsight } from '../../api/routes/apps/index.ts'
import { APPS } from '../../config/apps.ts'
import { decisionText, replays } from '../../domains/apps/index.ts'
import { appsUsage } from '../../domains/apps/store/index.ts'
import type { ApiHost, ControlPlane, DomainProcess, ServedDomain, UpHost } from '../domain.ts'
import { atEnd, messageOf } from '../../kernel/index.ts'
import { openAppsControlPlane, type AppsControlPlane, type AppsControlPlaneOptions } from './control-plane.ts'
import { orderDemo } from './demo.ts'
import { appsEvents } from './events.ts'
import { logApps } from './log.ts'
import { appsMetrics } from './metrics.ts'
import { COUNT_APPS } from './report.ts'
import { rowsReport } from '../shared/rows-report.ts'
import { keptText, newKey } from '../shared/kept-file.ts'
import { simulatedStorage } from './simulated-storage.ts'
import { openAppsUseCases } from './usecases.ts'
import { appsWorkerServices } from './worker.ts'

export const appsProcess = (): DomainProcess => ({
  inWords: { Deployment: decisionText },
  replays,
  usage: appsUsage,
  localDefaults: async ({ dataDir }) => ({
    CAELUS_LOCAL_CHARTS: 'true',
    // Browsers resolve every name below localhost to the machine itself.
    CAELUS_APPS_RESERVED_DOMAINS: 'svc,cluster.local',
    CAELUS_VALUES_KEY: await keptText(dataDir, 'values-key', () => `local:${newKey()}`),
  }),
  log: (emitter, log, failures) => logApps(appsEvents(emitter), log, failures),
  metrics: (registry, emitter) => void appsMetrics(registry, appsEvents(emitter)),
  tag: 'Products, the deployments that were ordered of them, and the work that converges those.',
  describe: (inert) => appsRoutes({ apps: inert('apps'), insight: inert('insight') }),
  serve,
})

function serve(host: ApiHost): ServedDomain {
  const { config, env, databaseUrl, pool, notices, board, seams, emitter, noControlPlane, onError } = host
  const useCases = openAppsUseCases({ config, databaseUrl, pool, clusters: seams.clusters.directory })
  seams.offerApps(useCases.clusterApps)
  const report = rowsReport({ name: 'apps', count: COUNT_APPS, pool, notices, board })
  const absent = async (): Promise<never> => noControlPlane()
  let insight: AppsInsight = {
    preview: absent,
    explain: absent,
    resources: absent,
    notes: absent,
    manifest: absent,
    values: absent,
  }

  const connected = async (
    { transport, kubeconfig }: ControlPlane,
    how: Pick<AppsControlPlaneOptions, 'databaseUrl' | 'role' | 'helm'>,
  ): Promise<AppsControlPlane> => {
    const clusters = { access: seams.clusters.access, emitter, onError }
    const opened = await openAppsControlPlane({ config, env, useCases, transport, kubeconfig, clusters, ...how })
    insight = opened.insight
    useCases.tryWith(opened.parts)
    return opened
  }

  const up = async (here: UpHost): Promise<void> => {
    const { progress, signal, begin, client, isLocal, workerUrl } = here
    const { obtainBinaries, progressLine } = await import('../../../tools/index.ts')
    report.waitFor('waits for Helm')
    const tell = (step: Parameters<typeof progressLine>[0]): void =>
      progress.show(step.what, `  preparing apps: ${progressLine(step)}`)
    const { helm } = await obtainBinaries(['helm'], tell, signal)
    progress.show('', '')
    if (signal.aborted) return
    const controlPlane = await connected(here, { databaseUrl: workerUrl, role: 'caelus_worker', helm })
    const { decisions } = host
    const services = [
      atEnd('apps connections', () => controlPlane.close()),
      ...controlPlane.services,
      ...(isLocal ? [simulatedStorage(client, (message) => onError(message, 'Simulated storage failed'))] : []),
      ...appsWorkerServices({
        config,
        databaseUrl: workerUrl,
        controlPlane,
        emitter: appsEvents(emitter),
        decisions,
        onError,
        board,
      }),
    ]
    for (const service of services) await begin(service)
    report.waitFor(undefined)
    await orderDemo(useCases.apps, pool)
    await report.refresh()
    progress.say('  Apps converge: npx caelus list-deployments')
  }

  return {
    routes: appsRoutes({
      apps: useCases.apps,
      insight: {
        preview: (inputs, signal) => insight.preview(inputs, signal),
        explain: (id, signal) => insight.explain(id, signal),
        resources: (id, signal) => insight.resources(id, signal),
        notes: (inputs, signal) => insight.notes(inputs, signal),
        manifest: (inputs, signal) => insight.manifest(inputs, signal),
        values: (inputs, signal) => insight.values(inputs, signal),
      },
    }),
    changes: appsChanges,
    services: [report.service],
    waitFor: (what) => report.waitFor(what),
    async connect(controlPlane) {
      const helm = config.of(APPS).helmBin ?? 'helm'
      const opened = await connected(controlPlane, { databaseUrl, role: 'caelus_api', helm })
      return [atEnd('apps connections', () => opened.close()), ...opened.services]
    },
    up: (here) =>
      up(here).catch((error: unknown) => {
        report.waitFor(messageOf(error))
        throw error
      }),
    close: () => useCases.close(),
  }
}
