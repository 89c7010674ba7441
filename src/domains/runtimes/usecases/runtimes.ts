import { timestamp, type Clock } from '../../../kernel/index.ts'
import { at as whereOf, type At, type Client, type Pod } from '../../../kube/index.ts'
import { listed, needsAdmin, type Actor, type Listed, type Pool } from '../../../store/index.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { explain } from '../explain.ts'
import type { RuntimesSettings } from '../settings.ts'
import type { Observed } from '../types.ts'
import type { RuntimeHistory } from './history.ts'
import { previewNow } from './insight.ts'
import type { RuntimesView } from './view.ts'
import { applyPackage } from './package.ts'
import type { ListOptions, Runtimes, RuntimeDetails } from './port.ts'
import { childrenOf, podsOf } from './details.ts'
import { timelineOf } from './timeline.ts'
import { createRuntime, missing, putRuntime, removeRuntime } from './write.ts'

/** What the use cases need of the control plane. */
export interface RuntimesControlPlane {
  readonly client: Client
  readonly look: RuntimesView
  readonly runtimeHistory: RuntimeHistory
}

export interface RuntimesDeps {
  readonly pool: Pool
  readonly clock: Clock
  readonly settings: RuntimesSettings
  /** Throws where there is none. */
  readonly controlPlane: () => RuntimesControlPlane
  /** Emails of the users that `actor` may see, by their ids. */
  readonly emailsOf: (actor: Actor, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

export function openRuntimes(deps: RuntimesDeps): Runtimes {
  const { pool, clock, settings, controlPlane } = deps
  /** Who asks in the first moments waits for the first list. */
  const seeing = async (): Promise<RuntimesControlPlane> => {
    const found = controlPlane()
    await found.look.listed()
    return found
  }
  const observed = async (where: At): Promise<Observed> => {
    const { look } = await seeing()
    const seen = look.observe(where)
    if (seen === undefined) throw missing(where)
    return seen
  }
  const parts = () => ({ client: controlPlane().client, pool })
  /** The watch may not have shown yet what was just written. */
  const sighting = (runtime: ClassRuntime, seen: Observed | undefined, pods: readonly Pod[]): RuntimeDetails => ({
    runtime,
    children: seen === undefined ? [] : childrenOf({ ...seen, runtime }, settings),
    pods,
  })
  const present = (runtime: ClassRuntime): RuntimeDetails => {
    const { look } = controlPlane()
    return sighting(runtime, look.isSeeing() ? look.observe(whereOf(runtime)) : undefined, [])
  }
  const afterWrite = (runtime: ClassRuntime): RuntimeDetails => {
    controlPlane().look.wrote(runtime)
    return present(runtime)
  }

  return {
    list: async (input) => pageOf((await seeing()).look.list(input.namespace), input),
    async get(where, signal) {
      const seen = await observed(where)
      return sighting(seen.runtime, seen, await podsOf(controlPlane().client, seen.runtime, signal))
    },
    async create(actor, input) {
      needsAdmin(actor, 'create a runtime')
      return afterWrite(await createRuntime(parts(), actor, input))
    },
    async put(actor, input, precondition) {
      needsAdmin(actor, 'change a runtime')
      const written = await putRuntime(parts(), actor, input, precondition)
      return { ...afterWrite(written.runtime), ...written }
    },
    async remove(actor, where, precondition) {
      needsAdmin(actor, 'delete a runtime')
      return present(await removeRuntime(parts(), actor, where, precondition, timestamp(clock.now())))
    },
    async applyPackage(actor, input) {
      needsAdmin(actor, 'apply a package')
      const applied = await applyPackage(parts(), actor, input)
      if (!input.dryRun) applied.written.forEach(({ runtime }) => controlPlane().look.wrote(runtime))
      return applied
    },
    async preview(actor, input) {
      needsAdmin(actor, 'preview a runtime')
      const { client, look } = await seeing()
      return await previewNow({ client, pool }, look, actor, input, settings)
    },
    explain: async (where) => explain(await observed(where), settings, clock.now()),
    async timeline(actor, where, limit, signal) {
      const { client, runtimeHistory } = controlPlane()
      const { runtime, children, pods } = await observed(where)
      const objects = new Map([
        ...children.map(({ kind, name, uid }) => [uid, `${kind}/${name}`] as const),
        ...pods.map(({ name, uid }) => [uid, `Pod/${name}`] as const),
      ])
      const subject = { runtime, objects, phases: runtimeHistory.phasesOf(runtime) }
      return await timelineOf({ client, pool, emailsOf: deps.emailsOf }, actor, subject, limit, signal)
    },
    async history(where) {
      const { runtime } = await observed(where)
      return controlPlane().runtimeHistory.historyOf(runtime)
    },
  }
}

const keyOf = ({ metadata: { namespace = '', name } }: ClassRuntime): [string, string] => [namespace, name]

function pageOf(all: readonly ClassRuntime[], { phase, limit, after }: ListOptions): Listed<ClassRuntime> {
  const found = all
    .filter((runtime) => phase === undefined || phaseOf(runtime) === phase)
    .filter((runtime) => after === undefined || compare(keyOf(runtime), after) > 0)
    .toSorted((a, b) => compare(keyOf(a), keyOf(b)))
  return listed(found, limit, keyOf)
}

/** Of one that nobody has looked at yet, too. */
export const phaseOf = ({ metadata, status }: ClassRuntime): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? 'pending') : 'deleting'

function compare([a, b]: readonly string[], [c, d]: readonly string[]): number {
  if (a !== c) return (a ?? '') < (c ?? '') ? -1 : 1
  return b === d ? 0 : (b ?? '') < (d ?? '') ? -1 : 1
}
