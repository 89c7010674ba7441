import { FailureError, refuse, RefusedFields } from '../../../kernel/index.ts'
import { raise } from '../failures.ts'
import { compare, versionOf } from '../shoot/version.ts'
import type { ClusterUsage, StoredLimits } from '../store/index.ts'
import type { Cluster, NodePool, OrganizationLimits } from '../types.ts'
import type { ClusterChange, ClusterInput, ListedCluster, NodePoolInput, PreviewProblem } from './port.ts'

/*
 * What Caelus itself refuses, without asking Gardener. Saving and previewing judge by the same functions, and both tell
 * everything that is wrong at once.
 */

/** What an organization may have, and has. */
export interface Facts {
  readonly organizationName: string
  readonly limits: StoredLimits
  readonly usage: ClusterUsage
  /** Another cluster of the organization has the name. */
  readonly isNameTaken: boolean
}

export const MOST_POOLS = 50

export function orderProblems(facts: Facts, input: ClusterInput): readonly PreviewProblem[] {
  const { nodePools, region, name } = input
  return [
    ...nameProblems(facts, name),
    ...offerProblems('region', region, facts.limits.regions),
    ...poolProblems(nodePools, IN_LIST),
    ...machineProblems(nodePools, facts.limits, IN_LIST),
    ...countProblems(facts),
    ...nodeProblems(facts, 0, nodesOf(nodePools), IN_LIST),
  ]
}

/** Only what changes is judged: a limit that was lowered below what is there blocks no other change. */
export function changeProblems(facts: Facts, before: ListedCluster, change: ClusterChange): readonly PreviewProblem[] {
  const { name, region, kubernetesVersion, nodePools } = change
  return [
    ...(name === undefined || name === before.name ? [] : nameProblems(facts, name)),
    ...(region === undefined || region === before.region ? [] : [movedRegion(before, region)]),
    ...(kubernetesVersion === undefined ? [] : versionProblems(before, kubernetesVersion)),
    ...(nodePools === undefined ? [] : poolsProblems(facts, before, nodePools, IN_LIST)),
  ]
}

/** Of all pools that a cluster is to have. */
export const poolsProblems = (
  facts: Pick<Facts, 'organizationName' | 'limits' | 'usage'>,
  before: Pick<Cluster, 'nodePools'>,
  pools: readonly NodePoolInput[],
  fields: PoolFields,
): readonly PreviewProblem[] => [
  ...poolProblems(pools, fields),
  ...machineProblems(pools, facts.limits, fields, before.nodePools),
  ...nodeProblems(facts, nodesOf(before.nodePools), nodesOf(pools), fields),
]

/** How a request names the fields of pools. */
interface PoolFields {
  readonly of: (index: number, field: 'name' | 'machine_type' | 'autoscale_max') => string
  /** For what is wrong with all of them together. */
  readonly all: string
}

const IN_LIST: PoolFields = { of: (index, field) => `node_pools[${index}].${field}`, all: 'node_pools' }
/** A request about one pool: the others are as they were. */
export const OF_ONE: PoolFields = { of: (_, field) => field, all: 'autoscale_max' }

const problem = (
  field: string | null,
  message: string,
  { failure }: FailureError,
  supported: readonly string[] | null = null,
): PreviewProblem => ({ field, message, supported, failure })

function nameProblems({ isNameTaken, organizationName }: Facts, name: string): PreviewProblem[] {
  return isNameTaken ? [nameTaken(organizationName, name)] : []
}

export const nameTaken = (organizationName: string, name: string): PreviewProblem =>
  problem(
    'name',
    'belongs to another cluster of the organization',
    raise.ClusterNameTaken(`${organizationName} has a cluster named ${name} already`),
  )

const movedRegion = ({ name, region }: Pick<Cluster, 'name' | 'region'>, to: string): PreviewProblem =>
  problem(
    'region',
    `cannot be changed: the cluster is in ${region}`,
    raise.RegionImmutable(`cluster ${name} is in ${region} and cannot be moved to ${to}`),
    [region],
  )

/** Gardener completes and raises versions by itself, so that what it has counts, where it has any. */
export const presentVersion = ({ kubernetesVersion, sync }: ListedCluster): string =>
  sync.shoot?.kubernetesVersion ?? kubernetesVersion

/** Before there is a Shoot every version can be asked for: one that Gardener refuses must not stay for ever. */
export const hasShoot = ({ sync }: ListedCluster): boolean => sync.shoot !== null

function versionProblems(before: ListedCluster, to: string): PreviewProblem[] {
  if (to === before.kubernetesVersion || !hasShoot(before)) return []
  const from = presentVersion(before)
  const [present, wanted] = [versionOf(from), versionOf(to)]
  if (present === undefined || wanted === undefined) return []
  const refused = (why: string): PreviewProblem[] => [
    problem('kubernetes_version', why, raise.VersionRefused(`version ${to} of cluster ${before.name} ${why}`)),
  ]
  if (compare(wanted, present) < 0) return refused(`is older than the present ${from}, and Gardener lowers no version`)
  if (wanted.major !== present.major || wanted.minor > present.minor + 1) {
    return refused(`skips a minor version after the present ${from}: next is ${present.major}.${present.minor + 1}`)
  }
  return []
}

function poolProblems(pools: readonly NodePoolInput[], fields: PoolFields): PreviewProblem[] {
  const invalid = refuse.InvalidRequest('the request is not valid')
  const problems = pools.flatMap(({ name, autoscaleMin, autoscaleMax }, index) => [
    ...(pools.findIndex((other) => other.name === name) < index
      ? [problem(fields.of(index, 'name'), 'belongs to another node pool of the cluster', invalid)]
      : []),
    ...(autoscaleMax < Math.max(autoscaleMin, 1)
      ? [problem(fields.of(index, 'autoscale_max'), `must be at least ${Math.max(autoscaleMin, 1)}`, invalid)]
      : []),
  ])
  if (pools.length > MOST_POOLS)
    problems.push(problem(fields.all, `there may be at most ${MOST_POOLS} node pools`, invalid))
  if (pools.length === 0) problems.push(problem(fields.all, 'there must be at least one node pool', invalid))
  return problems
}

function machineProblems(
  pools: readonly NodePoolInput[],
  { machineTypes }: Pick<OrganizationLimits, 'machineTypes'>,
  fields: PoolFields,
  before: readonly NodePool[] = [],
): PreviewProblem[] {
  const isNew = ({ name, machineType }: NodePoolInput): boolean =>
    !before.some((pool) => pool.name === name && pool.machineType === machineType)
  return pools.flatMap((pool, index) =>
    isNew(pool) ? offerProblems(fields.of(index, 'machine_type'), pool.machineType, machineTypes) : [],
  )
}

function offerProblems(field: string, value: string, allowed: readonly string[] | null): PreviewProblem[] {
  if (allowed === null || allowed.includes(value)) return []
  const message = `must be one of those that the organization may have: ${allowed.join(', ')}`
  return [problem(field, message, raise.NotOffered(`${value} ${message}`), allowed)]
}

function countProblems({ organizationName, limits: { maxClusters }, usage }: Facts): PreviewProblem[] {
  if (maxClusters === null || usage.clusters < maxClusters) return []
  const message = `${organizationName} has ${usage.clusters === 1 ? 'one cluster' : `${usage.clusters} clusters`}, and the limit is ${maxClusters}`
  return [problem(null, message, raise.ClusterLimit(message))]
}

function nodeProblems(
  { organizationName, limits: { maxNodes }, usage }: Pick<Facts, 'organizationName' | 'limits' | 'usage'>,
  before: number,
  after: number,
  { all }: PoolFields,
): PreviewProblem[] {
  const total = usage.nodes - before + after
  if (maxNodes === null || after <= before || total <= maxNodes) return []
  const message = `the node pools of ${organizationName} would have ${total} nodes together, and the limit is ${maxNodes}`
  return [problem(all, message, raise.ClusterLimit(message))]
}

/** The most nodes that pools may have. */
export const nodesOf = (pools: readonly Pick<NodePoolInput, 'autoscaleMax'>[]): number =>
  pools.reduce((sum, { autoscaleMax }) => sum + autoscaleMax, 0)

/** Refuses with all of them; the first decides about the code. */
export function refuseProblems(problems: readonly PreviewProblem[]): void {
  const [first] = problems
  if (first === undefined) return
  const why = new FailureError(first.failure)
  const fields = problems.flatMap(({ field, message }) => (field === null ? [] : [{ field, message }]))
  throw fields.length === 0 ? why : new RefusedFields(fields, why)
}
