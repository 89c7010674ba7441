import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parallel, type Row } from '../measure.ts'
import { childCpuSecondsOf } from '../process.ts'
import { phase } from './phase.ts'
import { CHART, domainOf, onControlPlane } from './place.ts'

const AT_ONCE = 4

const run = promisify(execFile)

/** What a script would do: Helm itself, four at once; then once more with nothing changed. */
export const measureHelmLoop = (wait: boolean, n: number, keep: (row: Row) => void): Promise<void> =>
  onControlPlane(n, async (place) => {
    const home = join(place.dir, 'helm')
    const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: home }
    const usage = {
      get cpuSeconds() {
        return childCpuSecondsOf(process.pid)
      },
      peakRssMiB: 0,
    }
    const phases = { peer: wait ? 'helm-par4-wait' : 'helm-par4', place, usage, keep }
    const pass = async () => {
      const from = performance.now()
      const latencies: number[] = []
      await parallel(n, AT_ONCE, async (i) => {
        const name = `page-${i}`
        const flags = ['--create-namespace', `--set=ingress.host=${domainOf(i)}`]
        const target = ['--namespace', name, '--kubeconfig', place.controlPlane.kubeconfig]
        const waiting = wait ? ['--wait', '--timeout=10m'] : []
        await run(place.helm, ['upgrade', '--install', name, CHART, ...flags, ...target, ...waiting], { env })
        latencies.push(performance.now() - from)
      })
      return { n, latencies, notes: 'latencies since the first call' }
    }
    await phase(phases, 'install', pass)
    await phase(phases, 'pass', pass)
  })
