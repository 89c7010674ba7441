import { setTimeout as delay } from 'node:timers/promises'
import { Deployment, type AppsV1, type Client } from '../../src/kube/index.ts'

/** Something done by hand to the Deployment of a release. */
export interface Damage {
  readonly name: string
  /** Does it, has `ask` tell somebody, and waits until it is undone. Answers how many milliseconds after the damage that was. */
  untilRestored(client: Client, namespace: string, ask: () => Promise<void>): Promise<number>
}

const DEADLINE_MS = 600_000
/** How many releases are damaged, one after another. */
export const DAMAGED = 25
/** Looking often is exact, and after a while only a burden. */
const OFTEN_MS = 2_000

const damage = (
  name: string,
  harm: (client: Client, found: AppsV1.Deployment) => Promise<unknown>,
  isUndone: (found: AppsV1.Deployment, present: AppsV1.Deployment | undefined) => boolean,
): Damage => ({
  name,
  async untilRestored(client, namespace, ask) {
    const [found] = await client.list(Deployment, { namespace })
    if (found === undefined) throw new Error(`no Deployment in ${namespace}`)
    const from = performance.now()
    await harm(client, found)
    await ask()
    while (!isUndone(found, await client.get(Deployment, { namespace, name: found.metadata.name }))) {
      const ms = performance.now() - from
      if (ms > DEADLINE_MS) throw new Error(`the Deployment of ${namespace} stayed ${name}`)
      await delay(ms < OFTEN_MS ? 5 : 500)
    }
    return performance.now() - from
  },
})

const at = ({ metadata: { namespace = '', name } }: AppsV1.Deployment) => ({ namespace, name })

const MORE_REPLICAS = 5

export const deleted: Damage = damage(
  'deleted',
  (client, found) => client.delete(Deployment, at(found)),
  (found, present) => present !== undefined && present.metadata.uid !== found.metadata.uid,
)

const edited: Damage = damage(
  'edited',
  (client, found) => client.patch(Deployment, at(found), { merge: { spec: { replicas: MORE_REPLICAS } } }),
  (found, present) => present?.spec?.replicas === found.spec?.replicas,
)

export const DAMAGES: readonly Damage[] = [deleted, edited]
