import type { NodePool } from '../types.ts'
import { isSameMinor, versionOf } from './version.ts'
import { MAX_SURGE } from './wanted.ts'

export interface Machines {
  readonly min: number
  readonly max: number
}

/** What a change does to one node pool. */
export interface PoolForecast {
  readonly name: string
  readonly change: 'added' | 'removed' | 'rolled' | 'scaled' | 'unchanged'
  /** Absent for a pool that is added. */
  readonly now: Machines | null
  /** Absent for a pool that is removed. */
  readonly then: Machines | null
  /** Machines beyond `then.max` while nodes are replaced. */
  readonly surge: number
  readonly why: string
}

export interface Forecast {
  readonly pools: readonly PoolForecast[]
  readonly now: Machines
  readonly then: Machines
  /** The most machines that may exist at once during the change. */
  readonly peak: number
  /** Of the organization; `null`: none. */
  readonly limit: number | null
  /** Whether the organization stays within its limit, with its other clusters. A surge does not count: it is short. */
  readonly isWithinLimit: boolean
}

export interface ForecastInput {
  readonly before: readonly NodePool[]
  readonly after: readonly NodePool[]
  /** Versions of Kubernetes before and after the change. */
  readonly versions?: readonly [before: string, after: string]
  readonly limit: number | null
  /** Machines at most of the other clusters of the organization. */
  readonly others?: number
}

/** What a change of node pools would do, before anything is changed. */
export function forecastOf({ before, after, versions, limit, others = 0 }: ForecastInput): Forecast {
  const isNewMinor = versions !== undefined && isMinorUpgrade(...versions)
  const names = [...new Set([...before, ...after].map(({ name }) => name))]
  const pools = names.map((name) => {
    const byName = (pool: NodePool): boolean => pool.name === name
    return forecastPool(name, before.find(byName), after.find(byName), isNewMinor)
  })
  const now = sumOf(before)
  const then = sumOf(after)
  // Pools are changed beside each other: what is removed may still be there while what is added already is.
  const peak = pools.reduce((sum, pool) => sum + Math.max(pool.now?.max ?? 0, pool.then?.max ?? 0) + pool.surge, 0)
  return { pools, now, then, peak, limit, isWithinLimit: limit === null || then.max + others <= limit }
}

function isMinorUpgrade(before: string, after: string): boolean {
  const [from, to] = [versionOf(before), versionOf(after)]
  return from !== undefined && to !== undefined && !isSameMinor(from, to)
}

const machinesOf = (pool: NodePool | undefined): Machines | null =>
  pool === undefined ? null : { min: pool.autoscaleMin, max: pool.autoscaleMax }

const sumOf = (pools: readonly NodePool[]): Machines => ({
  min: pools.reduce((sum, { autoscaleMin }) => sum + autoscaleMin, 0),
  max: pools.reduce((sum, { autoscaleMax }) => sum + autoscaleMax, 0),
})

function forecastPool(
  name: string,
  before: NodePool | undefined,
  after: NodePool | undefined,
  isNewMinor: boolean,
): PoolForecast {
  const both = { name, now: machinesOf(before), then: machinesOf(after) }
  const still = (change: PoolForecast['change'], why: string): PoolForecast => ({ ...both, change, surge: 0, why })
  const rolled = (why: string): PoolForecast => ({ ...both, change: 'rolled', surge: MAX_SURGE, why })
  if (before === undefined) return still('added', 'new nodes are created')
  if (after === undefined) return still('removed', 'all nodes are drained and removed')
  if (before.machineType !== after.machineType)
    return rolled(`all nodes are replaced: machine type ${before.machineType} → ${after.machineType}`)
  if (isNewMinor) return rolled('all nodes are replaced: new minor version of Kubernetes')
  if (before.autoscaleMin !== after.autoscaleMin || before.autoscaleMax !== after.autoscaleMax)
    return still('scaled', 'no node is replaced; only the number of nodes changes')
  return still('unchanged', 'nothing changes')
}
