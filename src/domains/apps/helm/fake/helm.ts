import { messageOf, sleep, type Clock } from '../../../../kernel/index.ts'
import { discovery, KubeError, makeClient, type Client, type Transport } from '../../../../kube/index.ts'
import { raise, type AppFailureCode } from '../../failures.ts'
import { classifyHelmError } from '../errors.ts'
import { assertInScope } from '../../scope.ts'
import { coalesce } from '../../values/chart-defaults.ts'
import type { JsonObject } from '../../values/json.ts'
import { masker } from '../../values/redaction.ts'
import { withoutHandedOver } from '../hand-over.ts'
import { asApplied, objectsOf } from '../manifest.ts'
import type { Applied, Chart, Helm, ReleaseTarget, Rollout } from '../port.ts'
import type { FakeCharts } from './charts.ts'
import { History, type Revision } from './history.ts'
import { Objects } from './objects.ts'

export type HelmVerb = 'install' | 'upgrade' | 'rollBack' | 'uninstall'

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
  /** Revisions kept per release. @default 10 */
  readonly historyMax?: number
}

/**
 * Helm in memory, on any API server: the same records in the same storage, the same objects applied by the same manager in
 * the same order of writes, so that what reads them cannot tell. Deterministic. Of hooks there is only how long they take.
 */
export function fakeHelm({ transport, clock, charts, fault, historyMax = 10 }: FakeHelmOptions): Helm {
  const client = makeClient(transport, { fieldManager: 'helm' })
  const kinds = discovery(transport, clock)

  const rendered = (chart: Chart, values: JsonObject, target: ReleaseTarget) =>
    charts.templatesOf(chart).render(coalesce(chart.defaultValues, values), target)

  const manifestOf = ({ chart, values, handOver }: Rollout, target: ReleaseTarget): string => {
    const documents = rendered(chart, values, target).map((object) => `---\n${JSON.stringify(object)}\n`)
    return handOver.length === 0 ? documents.join('') : withoutHandedOver(documents.join(''), handOver)
  }

  const as = ({ as: identity }: ReleaseTarget): Client => (identity === undefined ? client : client.as(identity))
  const historyOf = (target: ReleaseTarget): History => new History(as(target), target, clock)
  const objectsAt = (target: ReleaseTarget): Objects => new Objects(as(target), target, kinds)

  /** Applies, runs the hooks, and says how it went. */
  async function bring(
    verb: HelmVerb,
    target: ReleaseTarget,
    { manifest, before, force }: { readonly manifest: string; readonly before: string; readonly force: boolean },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const at = objectsAt(target)
    const wanted = await objectsOf(manifest, target, kinds)
    const struck = fault?.(verb, target)
    const half = Math.ceil(wanted.length / 2)
    for (const [index, object] of wanted.entries()) {
      signal?.throwIfAborted()
      if (struck !== undefined && index === half) break
      await at.apply(object, force)
    }
    if (struck === 'dies') throw new Died()
    if (struck !== undefined) throw raise[struck.code](struck.message)
    await at.removeDropped(await objectsOf(before, target, kinds), wanted)
  }

  async function hook({ chart, values, timeoutMs }: Rollout, signal: AbortSignal | undefined): Promise<void> {
    const { afterMs = 0, failure } = charts.templatesOf(chart).hooks?.(coalesce(chart.defaultValues, values)) ?? {}
    await sleep(clock, Math.min(afterMs, timeoutMs), signal)
    if (failure !== undefined) throw raise[failure.code](failure.message)
    if (afterMs > timeoutMs) throw raise.HookFailed('post-install hooks failed: context deadline exceeded')
  }

  /** What fails is marked so and stays as it is. */
  async function settling(
    history: History,
    begun: Revision,
    work: () => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (signal?.aborted || error instanceof Died) throw error instanceof Died ? error.seen : error
      await history.settle(begun, 'failed')
      throw error
    }
  }

  async function roll(
    verb: 'install' | 'upgrade',
    target: ReleaseTarget,
    rollout: Rollout,
    signal: AbortSignal | undefined,
  ): Promise<Applied> {
    signal?.throwIfAborted()
    const history = historyOf(target)
    const { newest, standing } = await history.read()
    refuseToStart(verb, target, newest)
    const manifest = manifestOf(rollout, target)
    const objects = await objectsOf(manifest, target, kinds)
    assertInScope(objects, target.namespace, target.granted)
    const begun = await history.begin((newest?.version ?? 0) + 1, verb, manifest, rollout)
    const bringing = { manifest, before: standing?.manifest ?? '', force: rollout.force ?? false }
    const work = async (): Promise<void> => {
      await bring(verb, target, bringing, signal)
      await hook(rollout, signal)
    }
    await settling(history, begun, work, signal)
    if (standing !== undefined) await history.settle(standing, 'superseded')
    await history.settle(begun, 'deployed')
    await history.prune(historyMax)
    return { revision: begun.version, objects }
  }

  /** The same content once more, as a new revision. */
  async function rollBack(target: ReleaseTarget, revision: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const history = historyOf(target)
    const { newest, all } = await history.read()
    const earlier = all.find(({ version }) => version === revision)
    if (newest === undefined || earlier === undefined) throw raise.HelmFailed('release: not found')
    const begun = await history.beginAgain(newest.version + 1, earlier)
    const bringing = { manifest: earlier.manifest, before: newest.manifest, force: true }
    await settling(history, begun, () => bring('rollBack', target, bringing, signal), signal)
    for (const one of all.filter(({ info }) => info.status === 'deployed')) await history.settle(one, 'superseded')
    await history.settle(begun, 'deployed')
    await history.prune(historyMax)
  }

  const told = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted || !isOfServer(error)) throw error
      throw classifyHelmError(`Error: ${error.said || messageOf(error)}`, { mask: masker([]) })
    }
  }

  return {
    async render(target, chart, values) {
      const objects = await asApplied(rendered(chart, values, target), target, kinds)
      assertInScope(objects, target.namespace, target.granted)
      return objects
    },
    install: (target, rollout, signal) => told(() => roll('install', target, rollout, signal), signal),
    upgrade: (target, rollout, signal) => told(() => roll('upgrade', target, rollout, signal), signal),
    rollBack: (target, { revision }, signal) => told(() => rollBack(target, revision, signal), signal),
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
