import { durationText } from '../../lib/age.ts'
import type { EnforcementView, NfrSeriesView, NfrValueView, RuntimeSpec, RuntimeView } from '../../lib/api/contract.ts'
import { sentence } from '../../lib/sentence.ts'
import type { Moment } from '../../lib/step-chart.ts'
import type { Tone } from '../../lib/tone.ts'

type Unit = NfrValueView['unit']

const MI = 2 ** 20
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1, useGrouping: false })

/** As Kubernetes writes it: `3`, `192Mi`, `250m`. */
export function valueText(value: number, unit: Unit): string {
  switch (unit) {
    case 'bytes':
      return `${number.format(value / MI)}Mi`
    case 'millicores':
      return `${number.format(value)}m`
    case 'replicas':
      return number.format(value)
    default:
      return unit satisfies never
  }
}

export const maybeText = (value: number | null, unit: Unit): string => (value === null ? '—' : valueText(value, unit))

const TITLES: Record<NfrValueView['dimension'], string> = {
  replicas: 'Replicas',
  memory: 'Memory request',
  cpu: 'CPU request',
}

export const dimensionTitle = (dimension: NfrValueView['dimension']): string => TITLES[dimension] ?? dimension

export interface Verdict {
  readonly tone: Tone
  readonly text: string
}

type Told = Pick<RuntimeView, 'conditions' | 'enforcement'>

/** What is done about one recommendation, and why. The controller's own words come first. */
export function verdictOn(value: NfrValueView, { conditions, enforcement }: Told, now: number): Verdict {
  const { recommended, failure, live, unit, cooldown_until: cooldown } = value
  if (recommended === null) return { tone: 'info', text: 'Nothing is recommended yet.' }
  if (failure !== null) {
    const wait = Date.parse(failure.retry_at) - now
    const again = wait > 0 ? `in ${durationText(wait)}` : 'now'
    return { tone: 'bad', text: `${sentence(failure.message)} Tried ${times(failure.count)}, again ${again}.` }
  }
  const said = saidAbout(`${value.dimension}/${value.function_key}`, conditions)
  if (said !== undefined) return { tone: toneOf(said), text: sentence(said) }
  if (recommended.stale) return { tone: 'info', text: 'The recommendation is too old to be acted upon.' }
  if (live === recommended.value) return { tone: 'good', text: 'As recommended.' }
  const change = `${maybeText(live, unit)} → ${valueText(recommended.value, unit)}`
  if (!value.enforced) {
    const why =
      enforcement.mode === 'enforce' ? `${value.dimension} is not enforced` : `the mode is ${enforcement.mode}`
    return { tone: 'info', text: `${change} would have been applied, but ${why}.` }
  }
  if (cooldown !== null && Date.parse(cooldown) > now) {
    return {
      tone: 'wait',
      text: `${change} once the last change has settled, in ${durationText(Date.parse(cooldown) - now)}.`,
    }
  }
  return { tone: 'wait', text: `${change} once it has been wanted long enough.` }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

/** The condition speaks about every function and dimension, each after its key. */
function saidAbout(key: string, conditions: Told['conditions']): string | undefined {
  const { message = '' } = conditions.find(({ type }) => type === 'NfrEnforced') ?? {}
  return message
    .split('; ')
    .find((text) => text.startsWith(`${key}: `))
    ?.slice(key.length + 2)
}

const toneOf = (said: string): Tone => {
  if (/^as recommended|applied$/.test(said)) return 'good'
  return /would have|too old|too uncertain|left alone/.test(said) ? 'info' : 'wait'
}

/** The history of one function in one dimension. */
export const seriesFor = (
  { function_key: key, dimension }: Pick<NfrValueView, 'function_key' | 'dimension'>,
  series: readonly NfrSeriesView[],
): NfrSeriesView | undefined => series.find((one) => one.function_key === key && one.dimension === dimension)

export const momentsOf = (series: NfrSeriesView | undefined): readonly Moment[] =>
  (series?.points ?? []).map(({ at, recommended, applied, live }) => ({
    at: Date.parse(at),
    values: [recommended, applied, live],
  }))

const UNITS: Readonly<Record<string, Unit>> = { replicas: 'replicas', memory: 'bytes', cpu: 'millicores' }

/** `replicas 3`, `memory 192Mi`. */
export const appliedText = ({ dimension, target }: Pick<EnforcementView, 'dimension' | 'target'>): string =>
  `${dimension} ${valueText(target, UNITS[dimension] ?? 'replicas')}`

/** What the spec asks for, in words. */
export function wantedFacts({ nfr_requirements: wanted = {} }: RuntimeSpec): readonly (readonly [string, string])[] {
  const or = (value: number | string | undefined, text: string): string => (value === undefined ? 'not said' : text)
  const { min_throughput_rps: rps, max_latency_ms: latency, availability_pct: availability, consistency } = wanted
  return [
    ['Throughput', or(rps, `at least ${rps} requests per second`)],
    ['Latency', or(latency, `at most ${latency} ms`)],
    ['Availability', or(availability, `at least ${availability} %`)],
    ['Consistency', or(consistency, `${consistency}`)],
  ]
}
