import type { Dimension, FunctionSpec } from '../class-runtime.ts'
import type { NfrSettings } from '../settings.ts'
import { quantityOf } from '../../../kube/index.ts'

const MI = 2 ** 20

/** What may be asked for; both ends belong to it. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

/**
 * How values of one dimension behave. Replicas are counted, memory is the request in bytes, cpu the request in millicores.
 */
export interface DimensionRules {
  readonly min: number
  /** Values are kept on this grid. */
  readonly grain: number
  /** Whether `value` is so close to `reference` that the difference may be noise. */
  near(value: number, reference: number): boolean
  /** The farthest that one change may go from `from` towards `to`. */
  step(from: number, to: number, settings: NfrSettings): number
  bounds(config: FunctionSpec['provision_config'], settings: NfrSettings): Bounds
  text(value: number): string
}

/** A quarter at once, at least to the next point of the grid, and never past the target. */
function aQuarter(from: number, to: number, grain: number): number {
  const up = Math.max((Math.floor(from / grain) + 1) * grain, Math.floor((from * 1.25) / grain) * grain)
  const down = Math.min((Math.ceil(from / grain) - 1) * grain, Math.ceil((from * 0.75) / grain) * grain)
  return to > from ? Math.min(to, up) : Math.max(to, down)
}

/** Requests move only for a fifth or for `least`: every change of them restarts pods. */
const closerThan =
  (least: number) =>
  (value: number, reference: number): boolean =>
    Math.abs(value - reference) < Math.min(least, reference * 0.2)

/** A limit that the user wrote is also the most that may be requested. */
function requests(min: number, limit: string | undefined, unit: number): Bounds {
  const written = limit === undefined ? undefined : quantityOf(limit)
  return { min, max: Math.max(min, written === undefined ? Infinity : written / unit) }
}

const COUNT = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 1 })

export const RULES: Readonly<Record<Dimension, DimensionRules>> = {
  replicas: {
    min: 1,
    grain: 1,
    near: (value, reference) => Math.abs(value - reference) <= Math.max(1, Math.floor(reference * 0.1)),
    step: (from, to, { maxReplicaDelta }) => from + Math.max(-maxReplicaDelta, Math.min(maxReplicaDelta, to - from)),
    /** A `min_scale` above every maximum stands: the user asked for it in so many words. */
    bounds(config, { maxReplicas }) {
      const min = Math.max(1, config?.min_scale ?? 1)
      return { min, max: Math.max(min, Math.min(config?.max_scale || Infinity, maxReplicas)) }
    },
    text: (value) => `${COUNT.format(value)} replica${value === 1 ? '' : 's'}`,
  },
  memory: {
    min: 64 * MI,
    grain: 16 * MI,
    near: closerThan(64 * MI),
    step: (from, to) => aQuarter(from, to, 16 * MI),
    bounds: (config) => requests(64 * MI, config?.memory_limit, 1),
    text: (value) => `${COUNT.format(value / MI)}Mi`,
  },
  cpu: {
    min: 50,
    grain: 10,
    near: closerThan(100),
    step: (from, to) => aQuarter(from, to, 10),
    bounds: (config) => requests(50, config?.cpu_limit, 1e-3),
    text: (value) => `${COUNT.format(value)}m`,
  },
}

/** The limit that goes with a request that was chosen here. */
export const limitFor = (dimension: 'memory' | 'cpu', request: number): number =>
  dimension === 'memory' ? Math.max(request * 1.5, 128 * MI) : Math.max(request * 1.5, 100)
