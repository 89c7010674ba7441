import type { Row } from '../measure.ts'
import { ADMIN, tenants, untilReady, withOurs, type Ours } from './ours.ts'
import { now, phase } from './phase.ts'
import { domainOf } from './place.ts'

const SINGLES = 10
/** A processor count that no node has: the pods are never scheduled, and Helm waits in vain. */
const NEVER = { resources: { requests: { cpu: '1000' } } }
const HEALTH_TIMEOUT_SEC = 20

/** How long a tenant's order takes while all is quiet, and while n deployments of another tenant fail for ever. */
export const measureFairness = (peer: string, n: number, keep: (row: Row) => void): Promise<void> =>
  withOurs(n + 3 * SINGLES, async (ours) => {
    const { apps, place, worker } = ours
    const phases = { peer, place, usage: worker, keep }
    const [calm = '', loud = ''] = await tenants(ours, 2)
    const templateId = await ours.publish(NEVER, HEALTH_TIMEOUT_SEC)
    // A worker that has just started is slower, and would make the quiet case look worse than it is.
    await singles(ours, calm, 'warm')
    await phase(phases, 'fairness.quiet', () => singles(ours, calm, 'quiet'))
    for (let i = 0; i < n; i++) {
      await apps.createDeployment(ADMIN, { userId: loud, templateId, domainname: domainOf(i, 'loud') })
    }
    worker.forget()
    await worker.until('a failure', () => worker.ended.size > 0)
    await phase(phases, 'fairness.loud', () => singles(ours, calm, 'calm'))
  })

async function singles(ours: Ours, userId: string, word: string) {
  const latencies: number[] = []
  for (let i = 0; i < SINGLES; i++) latencies.push(await orderOne(ours, userId, domainOf(i, word)))
  return { n: SINGLES, latencies, notes: 'create to ready, one after another' }
}

async function orderOne(ours: Ours, userId: string, domainname: string): Promise<number> {
  const from = now()
  const { id } = await ours.apps.createDeployment(ADMIN, { userId, templateId: ours.templateId, domainname })
  return (await untilReady(ours, id)) - from
}
