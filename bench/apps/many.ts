import type { Row } from '../measure.ts'
import { ADMIN, orderAll, tenants, withOurs } from './ours.ts'
import { phase } from './phase.ts'

/** Thousands of simulated pods would keep the machine busy with what no pass looks at. */
const NO_PODS = { replicas: 0 }

/** How our worker bears many releases in which nothing changes: after it has installed them, and when it has just started. */
export const measureMany = (peer: string, n: number, keep: (row: Row) => void): Promise<void> =>
  withOurs(n, async (ours) => {
    const { apps, place } = ours
    const phasesOf = (usage = ours.worker) => ({ peer, place, usage, keep })
    const users = await tenants(ours, n)
    await phase(phasesOf(), 'many.install', async () => {
      await orderAll(ours, users, await ours.publish(NO_PODS))
      return { n, notes: 'first order written to all ready; Deployments without replicas' }
    })
    const pass = async (name: string): Promise<void> => {
      const { worker } = ours
      await worker.settle()
      await phase(phasesOf(), name, async () => {
        const { calls } = worker
        worker.forget()
        await apps.scanDrift(ADMIN)
        await worker.until('the pass', () => worker.ended.size === n)
        return { n, notes: `${worker.calls - calls} API calls` }
      })
    }
    await pass('many.first-pass')
    await pass('many.pass')

    const from = performance.now()
    const worker = await ours.restart()
    await phase(phasesOf(worker), 'many.cold', async () => {
      await worker.until('all looked at', () => worker.ended.size === n)
      const seconds = (performance.now() - from) / 1000
      return {
        n,
        seconds,
        notes: `a new process, from its start until it has looked at all; ${worker.calls} API calls`,
      }
    })
    await pass('many.cold-pass')
  })
