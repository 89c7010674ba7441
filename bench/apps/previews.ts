import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { APPS } from '../../src/config/apps.ts'
import { OF_PROCESSES, readConfig } from '../../src/config/index.ts'
import { openAppsControlPlane } from '../../src/processes/apps/control-plane.ts'
import { openAppsUseCases } from '../../src/processes/apps/usecases.ts'
import { httpTransport, loadKubeConfig } from '../../src/kube/index.ts'
import { openPool } from '../../src/store/index.ts'
import type { Row } from '../measure.ts'
import { childCpuSecondsOf, cpuSecondsOf } from '../process.ts'
import { ADMIN, environmentOf, orderAll, tenants, withOurs, type Ours } from './ours.ts'
import { phase } from './phase.ts'
import { CHART, domainOf } from './place.ts'

const WARM_UP = 5

const run = promisify(execFile)

/** Previews of a change of one release, one after another: as the API makes them, and what Helm itself offers. */
export const measurePreviews = (peer: string, n: number, keep: (row: Row) => void): Promise<void> =>
  withOurs(1, async (ours) => {
    const [deployment] = await orderAll(ours, await tenants(ours, 1))
    if (deployment === undefined) throw new Error('nothing was ordered')
    const { place } = ours
    const usage = {
      get cpuSeconds() {
        return cpuSecondsOf(process.pid) + childCpuSecondsOf(process.pid)
      },
      peakRssMiB: 0,
    }
    const measure = async (name: string, preview: (i: number) => Promise<unknown>): Promise<void> => {
      for (let i = 0; i < WARM_UP; i++) await preview(i)
      await phase({ peer: name, place, usage, keep }, 'preview', async () => {
        const latencies: number[] = []
        for (let i = 0; i < n; i++) {
          const from = performance.now()
          await preview(WARM_UP + i)
          latencies.push(performance.now() - from)
        }
        return { n, latencies, notes: 'one after another' }
      })
    }
    await withInsight(ours, async ({ apps, insight }) => {
      await measure(peer, async (i) =>
        insight.preview(
          await apps.previewUpdate(ADMIN, { id: deployment.id }, { domainname: domainOf(i, 'seen') }),
          new AbortController().signal,
        ),
      )
    })
    const { releaseName, namespaceName } = deployment
    const home = join(place.dir, 'helm')
    const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: home }
    const target = ['--namespace', namespaceName, '--kubeconfig', place.controlPlane.kubeconfig]
    await measure('helm-dry-run', (i) =>
      run(
        place.helm,
        ['upgrade', releaseName, CHART, '--dry-run=server', `--set=ingress.host=${domainOf(i)}`, ...target],
        { env },
      ),
    )
  })

/** Runs `work` with what the API previews by. */
async function withInsight(
  { place, databaseUrl }: Ours,
  work: (
    parts: Pick<Awaited<ReturnType<typeof openAppsControlPlane>>, 'insight'> & Pick<Ours, 'apps'>,
  ) => Promise<void>,
): Promise<void> {
  const env = environmentOf(place, databaseUrl)
  const config = readConfig(env, { sections: [...OF_PROCESSES, APPS] })
  const { kubeconfig } = place.controlPlane
  const transport = httpTransport(await loadKubeConfig({ path: kubeconfig }))
  const pool = openPool({ url: databaseUrl, applicationName: 'bench insight', role: 'caelus_api' })
  const useCases = openAppsUseCases({ config, databaseUrl, pool })
  const role = 'caelus_api'
  const options = { config, env, databaseUrl, role, useCases, transport, kubeconfig, helm: place.helm } as const
  const controlPlane = await openAppsControlPlane(options)
  try {
    await work({ apps: useCases.apps, insight: controlPlane.insight })
  } finally {
    await controlPlane.close()
    await useCases.close()
    await pool.end()
    await transport.close()
  }
}
