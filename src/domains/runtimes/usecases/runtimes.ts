import { timestamp, type Clock } from '../../../kernel/index.ts'
import { at as whereOf, type At, type Client, type Pod } from '../../../kube/index.ts'
import type { Pool } from '../../../store/index.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { explain } from '../explain.ts'
import type { RuntimesSettings } from '../settings.ts'
import type { Observed } from '../types.ts'
import type { Chronicle } from './history.ts'
import { previewNow } from './insight.ts'
import type { Look } from './view.ts'
import { applyPackage } from './package.ts'
import type { ListWish, Listed, Runtimes, Sighting } from './port.ts'
import { childrenOf, podsOf } from './details.ts'
import { timelineOf } from './timeline.ts'
import { createRuntime, missing, mustBeAdmin, putRuntime, removeRuntime } from './write.ts'

/** What there is where there is a cluster. */
export interface RuntimesCluster {
  readonly client: Client
  readonly look: Look
  readonly chronicle: Chronicle
}

export interface RuntimesRoom {
  readonly pool: Pool
  readonly clock: Clock
  readonly settings: RuntimesSettings
  /** Throws where there is none. */
  readonly cluster: () => RuntimesCluster
  /** Emails of people, by their ids. */
  readonly emailsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

export function openRuntimes(room: RuntimesRoom): Runtimes {
  const { pool, clock, settings, cluster } = room
  /** Who asks in the first moments waits for the first list. */
  const seeing = async (): Promise<RuntimesCluster> => {
    const found = cluster()
    await found.look.listed()
    return found
  }
  const observed = async (where: At): Promise<Observed> => {
    const { look } = await seeing()
    const seen = look.observe(where)
    if (seen === undefined) throw missing(where)
    return seen
  }
  const parts = () => ({ client: cluster().client, pool })
  /** The watch may not have shown yet what was just written. */
  const sighting = (runtime: ClassRuntime, seen: Observed | undefined, pods: readonly Pod[]): Sighting => ({
    runtime,
    children: seen === undefined ? [] : childrenOf({ ...seen, runtime }, settings),
    pods,
  })
  const present = (runtime: ClassRuntime): Sighting => {
    const { look } = cluster()
    return sighting(runtime, look.isSeeing() ? look.observe(whereOf(runtime)) : undefined, [])
  }
  const afterWrite = (runtime: ClassRuntime): Sighting => {
    cluster().look.wrote(runtime)
    return present(runtime)
  }

  return {
    list: async (wish) => listed((await seeing()).look.list(wish.namespace), wish),
    async get(where, signal) {
      const seen = await observed(where)
      return sighting(seen.runtime, seen, await podsOf(cluster().client, seen.runtime, signal))
    },
    async create(actor, wish) {
      mustBeAdmin(actor, 'create a runtime')
      return afterWrite(await createRuntime(parts(), actor, wish))
    },
    async put(actor, wish, precondition) {
      mustBeAdmin(actor, 'change a runtime')
      const written = await putRuntime(parts(), actor, wish, precondition)
      return { ...afterWrite(written.runtime), ...written }
    },
    async remove(actor, where, precondition) {
      mustBeAdmin(actor, 'delete a runtime')
      return present(await removeRuntime(parts(), actor, where, precondition, timestamp(clock.now())))
    },
    async applyPackage(actor, wish) {
      mustBeAdmin(actor, 'apply a package')
      const applied = await applyPackage(parts(), actor, wish)
      if (!wish.dryRun) applied.written.forEach(({ runtime }) => cluster().look.wrote(runtime))
      return applied
    },
    async preview(actor, wish) {
      mustBeAdmin(actor, 'preview a runtime')
      const { client, look } = await seeing()
      return await previewNow({ client, pool }, look, actor, wish, settings)
    },
    explain: async (where) => explain(await observed(where), settings, clock.now()),
    async timeline(actor, where, limit, signal) {
      const { client, chronicle } = cluster()
      const { runtime, children, pods } = await observed(where)
      const objects = new Map([
        ...children.map(({ kind, name, uid }) => [uid, `${kind}/${name}`] as const),
        ...pods.map(({ name, uid }) => [uid, `Pod/${name}`] as const),
      ])
      const subject = { runtime, objects, phases: chronicle.phasesOf(runtime) }
      return await timelineOf({ client, pool, emailsOf: room.emailsOf }, actor, subject, limit, signal)
    },
    async history(where) {
      const { runtime } = await observed(where)
      return cluster().chronicle.historyOf(runtime)
    },
  }
}

const keyOf = ({ metadata: { namespace = '', name } }: ClassRuntime): [string, string] => [namespace, name]

function listed(all: readonly ClassRuntime[], { phase, limit, after }: ListWish): Listed {
  const found = all
    .filter((runtime) => phase === undefined || phaseOf(runtime) === phase)
    .filter((runtime) => after === undefined || compare(keyOf(runtime), after) > 0)
    .toSorted((a, b) => compare(keyOf(a), keyOf(b)))
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, next: found.length > limit && last !== undefined ? keyOf(last) : null }
}

/** Of one that nobody has looked at yet, too. */
export const phaseOf = ({ metadata, status }: ClassRuntime): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'pending') : 'deleting'

function compare([a, b]: readonly string[], [c, d]: readonly string[]): number {
  if (a !== c) return (a ?? '') < (c ?? '') ? -1 : 1
  return b === d ? 0 : (b ?? '') < (d ?? '') ? -1 : 1
}
