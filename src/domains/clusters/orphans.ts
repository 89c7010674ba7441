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
import { isRelabelled } from './gardener/own.ts'
import { CLUSTER_ID, GARDENER_OPERATION, ORGANIZATION_ID, type Shoot } from './gardener/shoot.ts'
import { liveOf } from './live.ts'
import type { LiveShoot } from './observed.ts'
import { ORPHANS_KEY } from './queue.ts'
import type { ClusterRows } from './rows.ts'
import { failureOfErrors, mayPass } from './shoot/error-codes.ts'
import { isObserved } from './status.ts'

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

/** Nothing is kept of an orphan in the database that could count its tries, so they are equally far apart. */
const RETRY_MS = 3_600_000

export interface OrphansInput {
  /** As Gardener listed them before the rows were read. */
  readonly shoots: readonly OrphanCandidate[]
  /** The organizations that have or had a cluster here. Shoots of others belong to another installation. */
  readonly organizations: readonly string[]
  /** Ids of clusters whose Shoots may exist. */
  readonly living: readonly string[]
  /** Ids of clusters that have a row at all: rows are never removed, so one that is missing was lost. */
  readonly known: readonly string[]
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
  /** Gardener gave its deletion up. */
  readonly givenUp: {
    readonly at: number
    readonly failure: Failure
    /** Whether another try can succeed without a person. */
    readonly mayPass: boolean
  } | null
}

export interface OrphansDecision {
  /** To check once more and to delete, the oldest first. */
  readonly remove: readonly OrphanCandidate[]
  /** To ask Gardener for another try of their deletion. */
  readonly retry: readonly OrphanCandidate[]
  /** Whose deletion a person has to make possible. */
  readonly stuck: readonly OrphanCandidate[]
  /** Why nothing is deleted although there are some. */
  readonly kept: { readonly failure: Failure; readonly shoots: readonly string[] } | null
}

/** Which Shoots without a row to delete. Pure and total. */
export function decideOrphans(input: OrphansInput, now: number): OrphansDecision {
  const { living, rows, limits } = input
  const [owned, organizations] = [new Set(living), new Set(input.organizations)]
  // An empty table knows no organization.
  const shoots = input.shoots.filter(({ organizationId }) => rows === 0 || organizations.has(organizationId))
  const strays = shoots
    .filter(({ clusterId }) => !owned.has(clusterId))
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.uid < b.uid ? -1 : 1))
  const orphans = strays.filter(({ isDeleting, createdAt }) => !isDeleting && now - createdAt >= limits.graceMs)
  const known = new Set(input.known)
  // Whatever their age: otherwise lost rows would pass in slices, as their Shoots come of age.
  const lost = strays.filter(({ clusterId }) => !known.has(clusterId))
  const why = whySuspicious({ orphans: orphans.length, lost: lost.length, shoots: shoots.length, rows }, limits)
  if (why !== undefined) {
    const kept = new Set([...orphans, ...lost])
    const names = strays.filter((stray) => kept.has(stray)).map(textOf)
    const failure = raise.OrphansKept(`${why}: ${listOf(names)}`).failure
    return { remove: [], retry: [], stuck: [], kept: { failure, shoots: names } }
  }
  const givenUp = rows === 0 ? [] : strays.filter((stray) => stray.givenUp !== null)
  return {
    remove: orphans.slice(0, limits.atMost),
    retry: givenUp.filter((stray) => isRetryDue(stray, now)).slice(0, limits.atMost),
    stuck: givenUp.filter((stray) => stray.givenUp?.mayPass === false),
    kept: null,
  }
}

const isRetryDue = ({ givenUp }: OrphanCandidate, now: number): boolean =>
  givenUp !== null && givenUp.mayPass && now - givenUp.at >= RETRY_MS

interface Counted {
  readonly orphans: number
  /** Shoots of any age without a row, not even one of a deleted cluster. */
  readonly lost: number
  readonly shoots: number
  readonly rows: number
}

function whySuspicious({ orphans, lost, shoots, rows }: Counted, { atMost }: OrphanLimits): string | undefined {
  if (orphans === 0) return undefined
  if (rows === 0) return `the table of clusters is empty, and ${orphans} Shoots of Caelus exist`
  if (lost > atMost)
    return `the table of clusters has lost ${lost} rows: not even a deleted cluster is known for that many Shoots, and no more than ${atMost} are deleted then`
  if (orphans > atMost && orphans * 2 > shoots)
    return `${orphans} of ${shoots} Shoots have no row, and no more than ${atMost} are deleted when that is most of them`
  return undefined
}

const textOf = ({ namespace, name }: Pick<OrphanCandidate, 'namespace' | 'name'>): string => `${namespace}/${name}`

const MOST_NAMED = 10
const listOf = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '')

export interface OrphanDeps {
  readonly gardener: Pick<Gardener, 'list' | 'find' | 'remove' | 'annotate'>
  readonly rows: Pick<ClusterRows, 'living' | 'known' | 'count' | 'organizations'>
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
  // One whose label was edited is the Shoot of another cluster, which takes it back.
  const shoots = listed.filter((shoot) => !isRelabelled(shoot)).map(candidateOf)
  if (shoots.length === 0) return
  const ids = shoots.map(({ clusterId }) => clusterId)
  const living = await rows.living(ids)
  const known = await rows.known(ids)
  const organizations = await rows.organizations([...new Set(shoots.map(({ organizationId }) => organizationId))])
  const { all } = await rows.count()
  const input: OrphansInput = {
    shoots,
    organizations: [...organizations],
    living: [...living],
    known: [...known],
    rows: all,
    limits: limits ?? ORPHAN_LIMITS,
  }
  const now = clock.now()
  const decision = decideOrphans(input, now)
  const { remove, retry, stuck, kept } = decision
  if (remove.length > 0 || retry.length > 0 || kept !== null) run.decided({ input, decision, at: now })
  if (kept !== null) emitter.emit('clusters:orphansKept', kept)
  for (const { givenUp, ...stray } of stuck)
    if (givenUp !== null) emitter.emit('clusters:orphanStuck', { shoot: textOf(stray), failure: givenUp.failure })
  const write = { fence, assertLeased, signal }
  for (const orphan of remove) {
    const shoot = await stillOrphan(orphan)
    if (shoot !== undefined && (await gardener.remove(shoot, write)))
      emitter.emit('clusters:orphanRemoved', { shoot: textOf(orphan), cluster: orphan.clusterId })
  }
  for (const orphan of retry) {
    const shoot = await stillOrphan(orphan)
    if (shoot === undefined || !isRetryDue(candidateOf(shoot), now)) continue
    if (await gardener.annotate(shoot, { [GARDENER_OPERATION]: 'retry' }, write))
      emitter.emit('clusters:orphanRetried', { shoot: textOf(orphan), cluster: orphan.clusterId })
  }

  /** The same Shoot as it is now, if there is still no row for it. */
  async function stillOrphan({ clusterId, namespace, name, uid }: OrphanCandidate): Promise<Shoot | undefined> {
    const shoot = await gardener.find({ namespace, name }, signal)
    const isSame = shoot?.metadata.uid === uid && candidateOf(shoot).clusterId === clusterId && !isRelabelled(shoot)
    return !isSame || (await rows.living([clusterId])).has(clusterId) ? undefined : shoot
  }
}

function candidateOf(shoot: Shoot): OrphanCandidate {
  const { metadata } = shoot
  const live = liveOf(shoot)
  return {
    clusterId: metadata.labels?.[CLUSTER_ID] ?? '',
    organizationId: metadata.labels?.[ORGANIZATION_ID] ?? '',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    createdAt: live.createdAt,
    isDeleting: live.isDeleting,
    givenUp: givenUpIn(live),
  }
}

function givenUpIn(live: LiveShoot): OrphanCandidate['givenUp'] {
  const { operation, isDeleting } = live
  if (!isDeleting || operation?.state !== 'Failed' || !isObserved(live)) return null
  const failure = failureOfErrors(live, 'ShootFailed', operation.description)
  return { at: operation.updatedAt ?? live.createdAt, failure, mayPass: mayPass(live) }
}
