import type { Row } from '../measure.ts'
import { ADMIN, tenants, untilReady, withOurs, type Ours } from './ours.ts'
import { now, phase } from './phase.ts'
import { domainOf } from './place.ts'

const SINGLES = 10
/** A processor count that no node has: the pods are never scheduled. */
const NEVER = { resources: { requests: { cpu: '1000' } } }
const HEALTH_TIMEOUT_SEC = 3_600

/**
 * How long a tenant's order takes while all is quiet, while n deployments of one other tenant never get healthy, and while one
 * deployment of each of n other tenants does not.
 */
export const measureFairness = (peer: string, n: number, keep: (row: Row) => void): Promise<void> =>
  withOurs(2 * n + 4 * SINGLES, async (ours) => {
    const { apps, place, worker } = ours
    const phases = { peer, place, usage: worker, keep }
    const [calm = '', loud = '', ...crowd] = await tenants(ours, n + 2)
    const templateId = await ours.publish(NEVER, HEALTH_TIMEOUT_SEC)
    /** Orders one for each, and waits until Helm is done with all: from then on only their health is waited for. */
    const hang = async (users: readonly string[], word: string): Promise<void> => {
      const ordered: string[] = []
      for (const [i, userId] of users.entries()) {
        const { id } = await apps.createDeployment(ADMIN, { userId, templateId, domainname: domainOf(i, word) })
        ordered.push(id)
      }
      await worker.until('all applied', () => ordered.every((id) => worker.ended.has(id)))
    }
    // A worker that has just started is slower, and would make the quiet case look worse than it is.
    await singles(ours, calm, 'warm')
    await phase(phases, 'fairness.quiet', () => singles(ours, calm, 'quiet'))
    await hang(
      Array.from({ length: n }, () => loud),
      'loud',
    )
    await phase(phases, 'fairness.loud', () => singles(ours, calm, 'calm'))
    await hang(crowd, 'crowd')
    await phase(phases, 'fairness.crowd', () => singles(ours, calm, 'still'))
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
