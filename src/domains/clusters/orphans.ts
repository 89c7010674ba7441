import {
  checkAgain,
  every,
  type Clock,
  type Emitter,
  type Failure,
  type Queue,
  type Reconcile,
  type Run,
  type Service,
} from '../../kernel/index.ts'
import type { ClustersEvents } from './events.ts'
import { raise } from './failures.ts'
import type { Gardener } from './gardener/gardener.ts'
import { CLUSTER_ID, ORGANIZATION_ID, type Shoot } from './gardener/shoot.ts'
import { ORPHANS_KEY } from './queue.ts'
import type { ClusterRows } from './rows.ts'

/*
 * A Shoot without a living row: the creation of a Shoot is one request without a fence to compare, so one that a worker sent
 * before it lost its lease may be done after the row was deleted and the Shoot confirmed gone.
 *
 * A row that is missing may also be the fault of the table. So deleting stops itself where there are many.
 */

export interface OrphanLimits {
  /** A Shoot that is younger is left alone. */
  readonly graceMs: number
  /** The most that one pass deletes. */
  readonly atMost: number
}

export const ORPHAN_LIMITS: OrphanLimits = { graceMs: 600_000, atMost: 3 }

export interface OrphansInput {
  /** As Gardener listed them before the rows were read. */
  readonly shoots: readonly OrphanCandidate[]
  /** The organizations that have or had a cluster here. Shoots of others belong to another installation. */
  readonly organizations: readonly string[]
  /** Ids of clusters whose Shoots may exist. */
  readonly living: readonly string[]
  /** Number of all rows that ever were. */
  readonly rows: number
  readonly limits: OrphanLimits
}

export interface OrphanCandidate {
  readonly clusterId: string
  readonly organizationId: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly createdAt: number
  readonly isDeleting: boolean
}

export interface OrphansDecision {
  /** To check once more and to delete, the oldest first. */
  readonly remove: readonly OrphanCandidate[]
  /** Why nothing is deleted although there are some. */
  readonly kept: { readonly failure: Failure; readonly shoots: readonly string[] } | null
}

/** Which Shoots without a row to delete. Pure and total. */
export function decideOrphans(input: OrphansInput, now: number): OrphansDecision {
  const { living, rows, limits } = input
  const [owned, known] = [new Set(living), new Set(input.organizations)]
  // An empty table knows no organization.
  const shoots = input.shoots.filter(({ organizationId }) => rows === 0 || known.has(organizationId))
  const orphans = shoots
    .filter(({ clusterId, isDeleting }) => !owned.has(clusterId) && !isDeleting)
    .filter(({ createdAt }) => now - createdAt >= limits.graceMs)
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.uid < b.uid ? -1 : 1))
  const why = whySuspicious(orphans.length, shoots.length, rows, limits)
  if (why === undefined) return { remove: orphans.slice(0, limits.atMost), kept: null }
  const names = orphans.map(textOf)
  return { remove: [], kept: { failure: raise.OrphansKept(`${why}: ${listOf(names)}`).failure, shoots: names } }
}

function whySuspicious(orphans: number, shoots: number, rows: number, { atMost }: OrphanLimits): string | undefined {
  if (orphans === 0) return undefined
  if (rows === 0) return `the table of clusters is empty, and ${orphans} Shoots of Caelus exist`
  if (orphans > atMost && orphans * 2 > shoots)
    return `${orphans} of ${shoots} Shoots have no row, and no more than ${atMost} are deleted when that is most of them`
  return undefined
}

const textOf = ({ namespace, name }: OrphanCandidate): string => `${namespace}/${name}`

const MOST_NAMED = 10
const listOf = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '')

export interface OrphanDeps {
  readonly gardener: Pick<Gardener, 'list' | 'find' | 'remove'>
  readonly rows: Pick<ClusterRows, 'living' | 'count' | 'organizations'>
  readonly clock: Clock
  readonly emitter: Emitter<ClustersEvents>
  readonly everyMs: number
  /** @default ORPHAN_LIMITS */
  readonly limits?: OrphanLimits
}

/** One pass. Its key stays in the queue, so that all workers together make one pass per interval. */
export function orphansReconcile(deps: OrphanDeps): Reconcile {
  return async (run) => {
    await collectOrphans(deps, run)
    return checkAgain(deps.everyMs, 'the next look for Shoots without rows is due then')
  }
}

/** Puts the key into the queue at the start, and again should it have been lost. */
export const orphansService = (queue: Pick<Queue, 'wake'>, clock: Clock, everyMs: number): Service =>
  every('clusters orphans', 4 * everyMs, () => queue.wake(ORPHANS_KEY, { reason: 'drift', afterMs: everyMs }), {
    clock,
  })

async function collectOrphans({ gardener, rows, clock, emitter, limits }: OrphanDeps, run: Run): Promise<void> {
  const { fence, assertLeased, signal } = run
  // Listed before the rows: whatever has a Shoot by now has a row by then.
  const listed = await gardener.list(signal)
  const shoots = listed.map(candidateOf)
  if (shoots.length === 0) return
  const living = await rows.living(shoots.map(({ clusterId }) => clusterId))
  const organizations = await rows.organizations([...new Set(shoots.map(({ organizationId }) => organizationId))])
  const { all } = await rows.count()
  const input: OrphansInput = {
    shoots,
    organizations: [...organizations],
    living: [...living],
    rows: all,
    limits: limits ?? ORPHAN_LIMITS,
  }
  const now = clock.now()
  const decision = decideOrphans(input, now)
  if (decision.remove.length > 0 || decision.kept !== null) run.decided({ input, decision, at: now })
  if (decision.kept !== null) emitter.emit('clusters:orphansKept', decision.kept)
  for (const { clusterId, namespace, name, uid } of decision.remove) {
    const shoot = await gardener.find({ namespace, name }, signal)
    const isSame = shoot !== undefined && shoot.metadata.uid === uid && candidateOf(shoot).clusterId === clusterId
    if (!isSame || (await rows.living([clusterId])).has(clusterId)) continue
    if (await gardener.remove(shoot, { fence, assertLeased, signal }))
      emitter.emit('clusters:orphanRemoved', { shoot: `${namespace}/${name}`, cluster: clusterId })
  }
}

const candidateOf = ({ metadata }: Shoot): OrphanCandidate => ({
  clusterId: metadata.labels?.[CLUSTER_ID] ?? '',
  organizationId: metadata.labels?.[ORGANIZATION_ID] ?? '',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid ?? '',
  createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
  isDeleting: metadata.deletionTimestamp !== undefined,
})
