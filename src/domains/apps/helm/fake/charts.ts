import { createHash } from 'node:crypto'
import type { Draft } from '../../../../kube/index.ts'
import { raise, type AppFailureCode } from '../../failures.ts'
import { canonical, type JsonObject } from '../../values/json.ts'
import type { Chart, ChartLocation, Charts, ReleaseTarget } from '../port.ts'

/** A chart whose templates are a function. */
export interface FakeChart {
  readonly name: string
  readonly version: string
  readonly defaultValues?: JsonObject
  readonly valuesSchema?: JsonObject
  /** As a template would: without namespaces and without Helm's own marks. */
  readonly render: (values: JsonObject, target: ReleaseTarget) => readonly Draft[]
  /** What its hooks come to, after its objects were applied. @default it has none */
  readonly hooks?: (values: JsonObject) => FakeHooks
}

export interface FakeHooks {
  /** How long until they are done. @default 0 */
  readonly afterMs?: number
  readonly failure?: { readonly code: AppFailureCode; readonly message: string }
}

/** Chart sources in memory, and behind them the cache that outlives them. */
export class FakeCharts implements Charts {
  readonly #published = new Map<string, Chart>()
  readonly #kept = new Map<string, Chart>()
  readonly #templates = new Map<string, FakeChart>()
  #isAway = false

  /** Makes `chart` what `ref` has under its version; one that was there before is replaced, as on a careless registry. */
  publish(ref: string, chart: FakeChart): ChartLocation & { readonly digest: string } {
    const { name, version, defaultValues = {}, valuesSchema = null } = chart
    const told = canonical({ ref, name, version, defaultValues, valuesSchema, render: String(chart.render) })
    const digest = `sha256:${createHash('sha256').update(told).digest('hex')}`
    this.#templates.set(digest, chart)
    this.#published.set(`${ref} ${version}`, {
      archive: digest,
      digest,
      name,
      version,
      appVersion: null,
      description: null,
      icon: null,
      defaultValues,
      valuesSchema,
    })
    return { ref, version, digest }
  }

  /** While away, only what was fetched before by its digest can be had. */
  setAway(isAway: boolean): void {
    this.#isAway = isAway
  }

  async fetch({ ref, version, digest }: ChartLocation): Promise<Chart> {
    const kept = digest === null ? undefined : this.#kept.get(digest)
    if (kept !== undefined) return kept
    if (this.#isAway) throw raise.ChartUnreachable(`failed to reach ${ref}`)
    const chart = this.#published.get(`${ref} ${version}`)
    if (chart === undefined) throw raise.ChartMissing(`failed to fetch chart ${ref} ${version}: it is not there`)
    if (digest !== null && digest !== chart.digest) {
      throw raise.DigestMismatch(
        `failed to fetch chart ${ref} ${version}: it is ${chart.digest}, and the template says ${digest}`,
      )
    }
    this.#kept.set(chart.digest, chart)
    return chart
  }

  /** The templates behind what `fetch` gave. */
  templatesOf({ digest, name }: Chart): FakeChart {
    const chart = this.#templates.get(digest)
    if (chart === undefined) throw raise.ChartMissing(`path "${name}" not found`)
    return chart
  }
}
