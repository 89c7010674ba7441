import { durationText } from '../../lib/age.ts'
import type { ClusterStatus, ClusterView, NodePoolView } from '../../lib/api/contract.ts'
import type { Spoken, Tone } from '../../lib/tone.ts'

const WORDS: Record<ClusterStatus, Spoken> = {
  pending: { tone: 'wait', word: 'Pending' },
  progressing: { tone: 'wait', word: 'Progressing' },
  ready: { tone: 'good', word: 'Ready' },
  error: { tone: 'bad', word: 'Error' },
  deleting: { tone: 'wait', word: 'Deleting' },
  deleted: { tone: 'info', word: 'Deleted' },
}

/** Every status that a list can show. */
export const statusChoices = Object.entries(WORDS).map(([value, { word }]) => ({ value, label: word }))

type Shown = Pick<
  ClusterView,
  'status' | 'status_message' | 'status_failure' | 'sync_failure' | 'generation' | 'synced_generation'
>

/** The word for a cluster, and the sentence behind it. */
export function headline(cluster: Shown): Spoken & { readonly why: string } {
  const { status, status_message: message, status_failure: failure, sync_failure: refused } = cluster
  const spoken = WORDS[status] ?? { tone: 'info', word: status }
  const isWaiting = cluster.synced_generation < cluster.generation
  if (status === 'error') return { ...spoken, why: failure?.message ?? message ?? '' }
  if (refused !== null && isWaiting) return { tone: 'bad', word: 'Sync failing', why: refused.message }
  if (status === 'ready' && isWaiting) {
    return { tone: 'wait', word: 'Change pending', why: 'the latest change is saved and not sent to Gardener yet' }
  }
  return { ...spoken, why: message ?? '' }
}

/** What Gardener is doing now, as it reports it; undefined: nothing is under way. */
export interface Progress {
  readonly percent: number
  readonly task: string
  /** Gardener met an error in this operation. */
  readonly isFailing: boolean
}

const ENDED: ReadonlySet<string> = new Set(['Succeeded', 'Aborted'])

export function progressOf({ shoot, status }: Pick<ClusterView, 'shoot' | 'status'>): Progress | undefined {
  const operation = shoot?.operation ?? null
  if (operation === null || status === 'ready' || status === 'deleted' || ENDED.has(operation.state)) return undefined
  return {
    percent: operation.progress,
    task: operation.description === '' ? operation.type : operation.description,
    isFailing: operation.state === 'Error' || operation.state === 'Failed',
  }
}

/** The watch on Gardener confirms a status every few seconds, and a page is read again every 15 s. */
const OLD_MS = 60_000

interface Freshness {
  readonly isOld: boolean
  readonly why: string
}

/** How far the shown status can be trusted at this moment. */
export function freshness(
  { status, status_as_of: asOf }: Pick<ClusterView, 'status' | 'status_as_of'>,
  now: number,
): Freshness {
  if (asOf === null) return { isOld: status !== 'pending', why: 'No worker has seen Gardener yet.' }
  const age = now - Date.parse(asOf)
  if (age < OLD_MS || status === 'deleted') return { isOld: false, why: '' }
  return {
    isOld: true,
    why: `The watch on Gardener last confirmed this ${durationText(age)} ago. The cluster may have changed since.`,
  }
}

type Sized = Pick<NodePoolView, 'autoscale_min' | 'autoscale_max'>

export const rangeText = (min: number, max: number): string => (min === max ? String(min) : `${min}–${max}`)

/** What limits count. */
export const mostNodes = (pools: readonly Pick<Sized, 'autoscale_max'>[]): number =>
  pools.reduce((sum, pool) => sum + pool.autoscale_max, 0)

/** The fewest and the most nodes of all pools. */
export const nodesText = (pools: readonly Sized[]): string =>
  rangeText(
    pools.reduce((sum, pool) => sum + pool.autoscale_min, 0),
    mostNodes(pools),
  )

/** Every condition of a Shoot is good when it is true. `Progressing` is Gardener's word for "not yet clear". */
export function conditionTone(status: string): Tone {
  if (status === 'True') return 'good'
  if (status === 'False') return 'bad'
  return status === 'Progressing' ? 'wait' : 'info'
}
