import { LABEL } from '../../examples/echo/decide.ts'
import { echoController, Echo, type EchoControllerOptions } from '../../examples/echo/index.ts'
import { createEmitter, keyText, type Random, type Service } from '../../src/kernel/index.ts'
import { ConfigMap, isNotFound, type LedControllerEvents } from '../../src/kube/index.ts'
import type { Law, Laws, Scenario } from '../scenario.ts'
import type { Ports, User, World } from '../world.ts'

const NAMESPACE = 'echo'
const NAMES = ['a', 'b', 'c'] as const

const echoesIn = ({ kubernetes }: World): readonly Echo[] => kubernetes.peek(Echo) as readonly Echo[]
const childrenIn = ({ kubernetes }: World): readonly ConfigMap[] => kubernetes.peek(ConfigMap) as readonly ConfigMap[]

const childOf = (world: World, { metadata }: Echo): ConfigMap | undefined =>
  childrenIn(world).find((child) => child.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))

const isReady = ({ metadata, status }: Echo): boolean =>
  status?.observedGeneration === metadata.generation &&
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')

const oneOf = <T>(random: Random, all: readonly [T, ...T[]]): T => all[Math.floor(random() * all.length)] ?? all[0]

/** A user creates, edits and deletes, and sometimes creates again at once. */
async function changeOfMind({ client, random, pause, note }: User): Promise<void> {
  const create = (name: string, message: string): Promise<Echo> => {
    note(`creates ${name}: ${message}`)
    const metadata = { namespace: NAMESPACE, name }
    return client.create(Echo, { apiVersion: 'bench.example/v1', kind: 'Echo', metadata, spec: { message } })
  }
  const acts = 5 + Math.floor(random() * 8)
  for (let act = 1; act <= acts; act++) {
    await pause(6_000)
    const name = oneOf(random, NAMES)
    const at = { namespace: NAMESPACE, name }
    const message = `${name} ${act}`
    if ((await client.get(Echo, at)) === undefined) await create(name, message)
    else if (random() < 0.5) {
      note(`says ${message}`)
      await client.patch(Echo, at, { merge: { spec: { message } } })
    } else {
      note(`deletes ${name}`)
      await client.delete(Echo, at)
      if (random() < 0.5) await create(name, `${message} anew`)
    }
  }
}

/** Another user edits and deletes the children. */
async function meddling({ client, random, pause, note }: User): Promise<void> {
  for (let act = 1; act <= 3; act++) {
    await pause(20_000)
    const at = { namespace: NAMESPACE, name: oneOf(random, NAMES) }
    if ((await client.get(ConfigMap, at)) === undefined) continue
    const how = oneOf(random, ['edits', 'unlabels', 'edits and unlabels', 'deletes'])
    note(`${how} ConfigMap ${at.name}`)
    if (how === 'deletes') await client.delete(ConfigMap, at)
    else {
      // Without its label the child is in no cache; once it is edited, the controller cannot apply it without force.
      const merge = {
        ...(how !== 'unlabels' && { data: { message: 'meddled' } }),
        ...(how !== 'edits' && { metadata: { labels: { [LABEL]: null } } }),
      }
      await client.patch(ConfigMap, at, { merge }).catch(ignoreMissing)
    }
  }
}

const ignoreMissing = (error: unknown): void => {
  if (!isNotFound(error)) throw error
}

/** Ready may be outdated a moment later by another writer, but is never set before the child has the message. */
function readyIsTrue(): Law {
  const said = new Set<string>()
  const text = (uid: string | undefined, message: string | undefined): string => `${uid ?? ''}: ${message ?? ''}`
  return (world) => {
    for (const { metadata, data } of childrenIn(world)) {
      for (const { uid } of metadata.ownerReferences ?? []) said.add(text(uid, data?.['message']))
    }
    const liar = echoesIn(world).find((echo) => isReady(echo) && !said.has(text(echo.metadata.uid, echo.spec.message)))
    return liar && `${liar.metadata.name} is Ready with "${liar.spec.message}", which its ConfigMap never said`
  }
}

const everyEchoIsAnswered: Law = (world) => {
  for (const echo of echoesIn(world)) {
    const said = childOf(world, echo)?.data?.['message']
    if (said !== echo.spec.message)
      return `${echo.metadata.name} says "${echo.spec.message}", its ConfigMap "${said ?? ''}"`
    if (!isReady(echo)) return `${echo.metadata.name} is not Ready for generation ${echo.metadata.generation}`
  }
  return undefined
}

const nothingIsLeftOver: Law = (world) => {
  const wanted = new Set(echoesIn(world).map(({ metadata }) => metadata.name))
  const left = childrenIn(world).find(
    ({ metadata }) => metadata.labels?.[LABEL] !== undefined && !wanted.has(metadata.name),
  )
  return left === undefined ? undefined : `ConfigMap ${left.metadata.name} has no Echo`
}

const echoLaws = (): Laws => ({
  always: { 'no Echo is Ready before its ConfigMap said the same': readyIsTrue() },
  eventually: { 'every Echo is answered': everyEchoIsAnswered, 'no ConfigMap is left over': nothingIsLeftOver },
})

type Variant = Partial<Pick<EchoControllerOptions, 'reconcile'>>

/** A replica whose watch is silent settles keys that it does not see; the scan of the others wakes them again. */
const RESYNC_MS = 30_000

const echoProcess =
  (variant: Variant, isDurable: boolean) =>
  ({ name, transport, clock, random, note, durableQueue }: Ports): readonly Service[] => {
    const told = createEmitter<LedControllerEvents>()
    told.on('reconcile:end', ({ key, outcome, failure }) =>
      note(`${keyText(key)}: ${outcome}${failure ? ` (${failure.code})` : ''}`),
    )
    told.on('lease:lost', ({ key, fence }) => note(`${keyText(key)}: lost lease ${fence}`))
    told.on('watch:reconnected', ({ resource, why }) => note(`watch of ${resource} reconnects (${why})`))
    told.on('watch:relisted', ({ resource, why }) => note(`${resource} listed again (${why})`))
    const durable = isDurable ? { queue: durableQueue('echo'), resyncMs: RESYNC_MS } : {}
    const parts = { instance: name, transport, clock, random, emitter: told }
    return echoController({ ...parts, ...durable, ...variant }).services
  }

/** The Echo controller, or a variant of it with a fault planted on purpose. */
export const echoScenario = (name = 'echo', variant: Variant = {}): Scenario => ({
  name,
  kinds: [Echo],
  namespaces: [NAMESPACE],
  setup(world) {
    // Without an election two of them would both act; the scenario with the durable queue has two.
    world.process('echo', echoProcess(variant, false), { replicas: 1 })
    world.user('user', changeOfMind)
    world.user('meddler', meddling)
    return echoLaws()
  },
})

/** Two of them share a queue that outlives both, as one in a database does. */
export const echoReplicasScenario: Scenario = {
  name: 'echo-replicas',
  kinds: [Echo],
  namespaces: [NAMESPACE],
  setup(world) {
    world.process('echo', echoProcess({}, true))
    world.user('user', changeOfMind)
    world.user('meddler', meddling)
    return echoLaws()
  },
}
