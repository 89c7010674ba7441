import { setTimeout as delay } from 'node:timers/promises'
import type { ListedDeployment } from '../../src/domains/apps/usecases/index.ts'
import { quantile, type Row } from '../measure.ts'
import { DAMAGED, DAMAGES } from './damage.ts'
import { ADMIN, orderAll, tenants, untilReady, withOurs, type Ours } from './ours.ts'
import { now, phase } from './phase.ts'
import { domainOf } from './place.ts'

/** How many writes to an idle worker are timed. */
const WRITES = 20

/** Our worker: n installs, passes over them with nothing changed, damage to each, and single writes. */
export const measureReleases = (peer: string, n: number, keep: (row: Row) => void): Promise<void> =>
  withOurs(n, async (ours) => {
    const { apps, place, worker } = ours
    const phases = { peer, place, usage: worker, keep }
    const users = await tenants(ours, n)
    let ordered: readonly ListedDeployment[] = []
    await phase(phases, 'install', async () => {
      const from = now()
      const { calls } = worker
      ordered = await orderAll(ours, users)
      const latencies = ordered.map(({ id }) => (worker.ended.get(id) ?? 0) - from)
      return {
        n,
        latencies,
        notes: `first order written to all ready; ${worker.calls - calls} API calls besides Helm's`,
      }
    })

    for (const name of ['first-pass', 'pass']) {
      await worker.settle()
      await phase(phases, name, async () => {
        const { calls } = worker
        worker.forget()
        await apps.scanDrift(ADMIN)
        await worker.until('the pass', () => worker.ended.size === n)
        return { n, notes: `${worker.calls - calls} API calls` }
      })
    }

    for (const damage of DAMAGES) {
      await worker.settle()
      await phase(phases, `restore-${damage.name}`, async () => {
        const [latencies, noticed]: [number[], number[]] = [[], []]
        for (const { id, namespaceName } of ordered.slice(0, DAMAGED)) {
          worker.forget()
          const from = now()
          latencies.push(await damage.untilRestored(place.client, namespaceName, async () => {}))
          noticed.push((worker.started.get(id) ?? Infinity) - from)
          await worker.settle()
        }
        const [half, most] = [quantile(noticed, 0.5), quantile(noticed, 0.99)]
        return { n: latencies.length, latencies, notes: `to the start of its run p50 ${half} ms, p99 ${most} ms` }
      })
    }

    await phase(phases, 'write', () => writes(ours, ordered.slice(0, WRITES)))
  })

async function writes(ours: Ours, singles: readonly ListedDeployment[]) {
  const [toStart, toReady]: [number[], number[]] = [[], []]
  for (const [i, { id }] of singles.entries()) {
    await ours.worker.settle()
    ours.worker.forget()
    await delay(100)
    const from = now()
    await ours.apps.updateDeployment(ADMIN, { id }, { domainname: domainOf(i, 'moved') })
    toReady.push((await untilReady(ours, id)) - from)
    toStart.push((ours.worker.started.get(id) ?? Infinity) - from)
  }
  const notes = `call to start of its run; to ready p50 ${quantile(toReady, 0.5)} ms`
  return { n: singles.length, latencies: toStart, notes }
}
