import { messageOf, sleep, type Clock } from '../../../../kernel/index.ts'
import { discovery, KubeError, makeClient, type Client, type Transport } from '../../../../kube/index.ts'
import { raise, type AppFailureCode } from '../../failures.ts'
import { classifyHelmError } from '../errors.ts'
import { deepMerge } from '../../values/values.ts'
import type { JsonObject } from '../../values/json.ts'
import { masker } from '../../values/redaction.ts'
import { withoutHandedOver } from '../hand-over.ts'
import { asApplied, objectsOf } from '../manifest.ts'
import type { Chart, Helm, ReleaseTarget, Rollout } from '../port.ts'
import type { FakeCharts } from './charts.ts'
import { History, type Revision } from './history.ts'
import { Objects } from './objects.ts'

export type HelmVerb = 'install' | 'upgrade' | 'uninstall'

/** What happens to one call, once its objects are half applied (or half deleted). */
export type HelmFault =
  /** It fails, and deals with that as it was told to. */
  | { readonly code: AppFailureCode; readonly message: string }
  /** Its process dies: nothing is tidied up, the record stays as it was. */
  | 'dies'

export interface FakeHelmOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly charts: FakeCharts
  /** Asked once per call. @default nothing ever fails */
  readonly fault?: (verb: HelmVerb, target: ReleaseTarget) => HelmFault | undefined
  /** Revisions kept per release. @default 5 */
  readonly historyMax?: number
}

/**
 * Helm in memory, on any API server: the same records in the same storage, the same objects applied by the same manager in
 * the same order of writes, so that what reads them cannot tell. Deterministic. Hooks are left out.
 */
export function fakeHelm({ transport, clock, charts, fault, historyMax = 5 }: FakeHelmOptions): Helm {
  const client = makeClient(transport, { fieldManager: 'helm' })
  const kinds = discovery(transport, clock)

  const rendered = (chart: Chart, values: JsonObject, target: ReleaseTarget) =>
    charts.templatesOf(chart).render(deepMerge(chart.defaultValues, values), target)

  const manifestOf = ({ chart, values, handOver }: Rollout, target: ReleaseTarget): string => {
    const documents = rendered(chart, values, target).map((object) => `---\n${JSON.stringify(object)}\n`)
    return handOver.length === 0 ? documents.join('') : withoutHandedOver(documents.join(''), handOver)
  }

  const as = ({ as: identity }: ReleaseTarget): Client => (identity === undefined ? client : client.as(identity))
  const historyOf = (target: ReleaseTarget): History => new History(as(target), target, clock)
  const objectsAt = (target: ReleaseTarget): Objects => new Objects(as(target), target, kinds)

  /** Applies, waits, and says how it went: the part that may fail and then has to be dealt with. */
  async function bring(
    verb: HelmVerb,
    target: ReleaseTarget,
    { chart, values, timeoutMs }: Rollout,
    { manifest, before }: { readonly manifest: string; readonly before: string },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const at = objectsAt(target)
    const wanted = await objectsOf(manifest, target, kinds)
    const struck = fault?.(verb, target)
    const half = Math.ceil(wanted.length / 2)
    for (const [index, object] of wanted.entries()) {
      signal?.throwIfAborted()
      if (struck !== undefined && index === half) break
      await at.apply(object)
    }
    if (struck === 'dies') throw new Died()
    if (struck !== undefined) throw raise[struck.code](struck.message)
    await at.removeDropped(await objectsOf(before, target, kinds), wanted)
    const { afterMs = 0, failure } = charts.templatesOf(chart).health?.(deepMerge(chart.defaultValues, values)) ?? {}
    await sleep(clock, Math.min(afterMs, timeoutMs), signal)
    if (failure !== undefined) throw raise[failure.code](failure.message)
    if (afterMs > timeoutMs)
      throw raise.NeverHealthy('resource not ready. status: InProgress context deadline exceeded')
  }

  async function roll(
    verb: 'install' | 'upgrade',
    target: ReleaseTarget,
    rollout: Rollout,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly revision: number }> {
    signal?.throwIfAborted()
    const history = historyOf(target)
    const { newest, standing } = await history.read()
    refuseToStart(verb, target, newest)
    const manifest = manifestOf(rollout, target)
    const begun = await history.begin((newest?.version ?? 0) + 1, verb, manifest, rollout)
    try {
      await bring(verb, target, rollout, { manifest, before: standing?.manifest ?? '' }, signal)
    } catch (error) {
      if (signal?.aborted || error instanceof Died) throw error instanceof Died ? error.seen : error
      await history.settle(begun, 'failed')
      if (rollout.onFailure !== 'keep') await undo(target, history, begun, standing)
      throw error
    }
    if (standing !== undefined) await history.settle(standing, 'superseded')
    await history.settle(begun, 'deployed')
    await history.prune(historyMax)
    return { revision: begun.version }
  }

  /** A failed install is taken away; a failed upgrade becomes a new revision with what stood before. */
  async function undo(
    target: ReleaseTarget,
    history: History,
    failed: Revision,
    standing: Revision | undefined,
  ): Promise<void> {
    const at = objectsAt(target)
    const brought = await objectsOf(failed.manifest, target, kinds)
    if (standing === undefined) {
      await at.removeAll(brought)
      await history.forget()
      return
    }
    const back = await history.beginAgain(failed.version + 1, standing)
    const wanted = await objectsOf(standing.manifest, target, kinds)
    for (const object of wanted) await at.apply(object)
    await at.removeDropped(brought, wanted)
    await history.settle(standing, 'superseded')
    await history.settle(back, 'deployed')
  }

  const told = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted || !isOfServer(error)) throw error
      throw classifyHelmError(`Error: ${messageOf(error)}`, { mask: masker([]) })
    }
  }

  return {
    render: async (target, chart, values) => asApplied(rendered(chart, values, target), target, kinds),
    install: (target, rollout, signal) => told(() => roll('install', target, rollout, signal), signal),
    upgrade: (target, rollout, signal) => told(() => roll('upgrade', target, rollout, signal), signal),
    uninstall: (target, _options, signal) =>
      told(async () => {
        const history = historyOf(target)
        const { newest } = await history.read()
        if (newest === undefined) return false
        const leaving = await history.settle(newest, 'uninstalling')
        const objects = await objectsOf(leaving.manifest, target, kinds)
        const struck = fault?.('uninstall', target)
        const half = struck === undefined ? objects.length : Math.ceil(objects.length / 2)
        await objectsAt(target).removeAll(objects.slice(0, half))
        if (struck === 'dies') throw new Died().seen
        if (struck !== undefined) throw raise[struck.code](struck.message)
        await history.forget()
        return true
      }, signal),
  }
}

function refuseToStart(verb: 'install' | 'upgrade', { release }: ReleaseTarget, newest: Revision | undefined): void {
  if (verb === 'install' && newest !== undefined) throw raise.ReleasePending('cannot reuse a name that is still in use')
  if (verb === 'upgrade' && newest === undefined) throw raise.HelmFailed(`"${release}" has no deployed releases`)
  if (newest?.info.status.startsWith('pending-')) {
    throw raise.ReleasePending('another operation (install/upgrade/rollback) is in progress')
  }
}

/** Thrown through everything that would tidy up. */
class Died extends Error {
  readonly seen = raise.HelmFailed('helm was killed')
}

/** An answer of the API server, which the real Helm would have quoted; our own failures say already what they are. */
const isOfServer = (error: unknown): error is KubeError => error instanceof KubeError
