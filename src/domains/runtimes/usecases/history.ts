import { service, sleep, type Clock, type Service } from '../../../kernel/index.ts'
import { at as where } from '../../../kube/index.ts'
import { DIMENSIONS, type ClassRuntime, type Dimension } from '../class-runtime.ts'
import { nfrKey, recommendationFor } from '../nfr/enforce.ts'
import type { Phase } from '../types.ts'
import { valueOf } from './live-values.ts'
import type { RuntimesView } from './view.ts'

/*
 * What the status of a runtime forgets: how its values and its phase came to be what they are. Kept in this process, some
 * hundred points for each runtime, and lost with it: a chart shows what was seen since the start of the server. Prometheus
 * cannot be asked for the time before: our metrics bear no name of a runtime or function, or each would be a series of its own.
 */

export interface Point {
  readonly at: number
  readonly recommended: number | null
  readonly applied: number | null
  readonly live: number | null
}

export interface Series {
  readonly functionKey: string
  readonly dimension: Dimension
  /** Oldest first. */
  readonly points: readonly Point[]
}

export interface History {
  /** Since when it has been looked at; `null`: not yet. */
  readonly since: number | null
  readonly series: readonly Series[]
}

export interface PhaseChange {
  readonly at: number
  readonly from: Phase | undefined
  readonly to: Phase
  readonly message: string
}

export interface RuntimeHistory {
  readonly service: Service
  historyOf(runtime: ClassRuntime): History
  phasesOf(runtime: ClassRuntime): readonly PhaseChange[]
}

const MOST_POINTS = 300
const MOST_PHASES = 50
/** Live values move without a word in the status of the runtime. */
const LOOK_EVERY_MS = 10_000

interface Page {
  readonly since: number
  readonly series: Map<string, { readonly functionKey: string; readonly dimension: Dimension; points: Point[] }>
  phases: PhaseChange[]
}

export function runtimeHistory(
  look: Pick<RuntimesView, 'isSeeing' | 'list' | 'observe' | 'onChange'>,
  clock: Clock,
): RuntimeHistory {
  const pages = new Map<string, Page>()
  const pageOf = ({ metadata }: ClassRuntime): Page => {
    const known = pages.get(metadata.uid ?? '')
    if (known !== undefined) return known
    const fresh: Page = { since: clock.now(), series: new Map(), phases: [] }
    pages.set(metadata.uid ?? '', fresh)
    return fresh
  }

  const measure = (runtime: ClassRuntime): void => {
    if (runtime.status?.nfr_recommendations === undefined && runtime.status?.nfr_state === undefined) return
    const page = pageOf(runtime)
    const children = look.observe(where(runtime))?.children ?? []
    for (const { function_key: functionKey } of runtime.spec.functions ?? []) {
      for (const dimension of DIMENSIONS) {
        const recommended = recommendationFor(runtime.status, dimension, functionKey)?.value ?? null
        const applied = runtime.status?.nfr_state?.[nfrKey(dimension, functionKey)]?.applied ?? null
        if (recommended === null && applied === null) continue
        const live = valueOf(children, functionKey, dimension) ?? null
        const key = nfrKey(dimension, functionKey)
        const series = page.series.get(key) ?? { functionKey, dimension, points: [] }
        page.series.set(key, series)
        const last = series.points.at(-1)
        if (last?.recommended === recommended && last.applied === applied && last.live === live) continue
        series.points = [...series.points, { at: clock.now(), recommended, applied, live }].slice(-MOST_POINTS)
      }
    }
  }

  const noteChange = (runtime: ClassRuntime, before: string | undefined): void => {
    const { phase, message = '', last_updated: at } = runtime.status ?? {}
    if (phase !== undefined && phase !== before) {
      const page = pageOf(runtime)
      const since = at === undefined ? clock.now() : Date.parse(at)
      const change = { at: since, from: before as Phase | undefined, to: phase as Phase, message }
      page.phases = [...page.phases, change].slice(-MOST_PHASES)
    }
    if (look.isSeeing()) measure(runtime)
  }

  const listen = (): (() => void) =>
    look.onChange((change) => {
      if (change.type === 'deleted') pages.delete(change.old.metadata.uid ?? '')
      else noteChange(change.new, change.type === 'changed' ? change.old.status?.phase : undefined)
    })

  return {
    service: service('runtimes chronicle', async (signal, ready) => {
      const stop = listen()
      ready()
      for (; !signal.aborted; await sleep(clock, LOOK_EVERY_MS, signal).catch(() => {})) {
        if (look.isSeeing()) look.list().forEach(measure)
      }
      stop()
    }),
    historyOf(runtime) {
      measure(runtime)
      const page = pages.get(runtime.metadata.uid ?? '')
      return { since: page?.since ?? null, series: [...(page?.series.values() ?? [])] }
    },
    phasesOf: ({ metadata }) => pages.get(metadata.uid ?? '')?.phases ?? [],
  }
}
