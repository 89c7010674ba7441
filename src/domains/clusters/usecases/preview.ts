import { randomUUID } from 'node:crypto'
import { answerWithin, failureOf, FailureError } from '../../../kernel/index.ts'
import { asUser, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { ShootRefusal } from '../gardener/refusal.ts'
import type { Shoot } from '../gardener/shoot.ts'
import { observe } from '../observe.ts'
import { previewOf } from '../preview.ts'
import { projectOfNamespace, shootName, workerName } from '../shoot/names.ts'
import { forecastOf } from '../shoot/surge.ts'
import { projectFor, wantedShoot } from '../shoot/wanted.ts'
import type { Cluster, NodePool } from '../types.ts'
import { changeableOrganization, visibleCluster } from './access.ts'
import { refuseUnstorableOrder } from './create-cluster.ts'
import { readFacts } from './facts.ts'
import type { InsightDeps } from './insight-deps.ts'
import { offerProblems } from './offered.ts'
import type {
  ClusterChange,
  ClusterInput,
  ClusterPreview,
  ListedCluster,
  NodePoolEffect,
  NodePoolInput,
  PreviewProblem,
} from './port.ts'
import { changeProblems, hasShoot, nodesOf, orderProblems, presentVersion, type Facts } from './problems.ts'
import { intended } from './update-cluster.ts'

const GARDENER_MS = 15_000

export async function previewCreate(
  deps: InsightDeps,
  actor: Actor,
  organizationId: string,
  input: ClusterInput,
  signal: AbortSignal,
): Promise<ClusterPreview> {
  refuseUnstorableOrder(input)
  const facts = await asUser(deps.pool, actor, async (tx) => {
    const organization = await changeableOrganization(tx, actor, organizationId, 'preview clusters')
    return await readFacts(tx, organization, input.name)
  })
  const wanted: Cluster = {
    id: randomUUID(),
    organizationId,
    name: input.name,
    region: input.region,
    kubernetesVersion: input.kubernetesVersion,
    isHibernated: false,
    maintenance: input.maintenance ?? null,
    operation: null,
    nodePools: withIds(input.nodePools),
    createdAt: deps.clock.now(),
    deletedAt: null,
  }
  return await previewed(deps, { facts, problems: orderProblems(facts, input), wanted }, signal)
}

export async function previewChange(
  deps: InsightDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  change: ClusterChange,
  signal: AbortSignal,
): Promise<ClusterPreview> {
  refuseUnstorableOrder(change)
  const { facts, before } = await asUser(deps.pool, actor, async (tx) => {
    const organization = await changeableOrganization(tx, actor, organizationId, 'preview clusters')
    const cluster = await visibleCluster(tx, organizationId, id)
    if (cluster.deletedAt !== null) throw raise.ClusterBeingDeleted(`cluster ${cluster.name} is being deleted`)
    return { before: cluster, facts: await readFacts(tx, organization, change.name, id) }
  })
  const { nodePools, ...intent } = intended(before, change)
  const wanted: Cluster = { ...before, ...intent, nodePools: withIds(nodePools) }
  return await previewed(deps, { facts, problems: changeProblems(facts, before, change), wanted, before }, signal)
}

const withIds = (pools: readonly NodePoolInput[]): NodePool[] => pools.map((pool) => ({ ...pool, id: pool.name }))

interface Previewed {
  readonly facts: Facts
  /** What Caelus itself refuses. */
  readonly problems: readonly PreviewProblem[]
  readonly wanted: Cluster
  readonly before?: ListedCluster
}

async function previewed(deps: InsightDeps, asked: Previewed, signal: AbortSignal): Promise<ClusterPreview> {
  const { facts, problems: own, wanted, before } = asked
  const offer = await askCatalogue(deps, asked, signal)
  const answer = await askAdmission(deps, asked, signal)
  const problems = merged([...own, ...offer.problems, ...answer.problems])
  const { limits, usage } = facts
  return {
    accepted: problems.length === 0,
    problems,
    fields: answer.fields,
    nodePools: effectsOf(before, wanted, answer.rolled),
    limits: {
      clusters: {
        used: usage.clusters,
        after: usage.clusters + (before === undefined ? 1 : 0),
        limit: limits.maxClusters,
      },
      nodes: {
        used: usage.nodes,
        after: usage.nodes - nodesOf(before?.nodePools ?? []) + nodesOf(wanted.nodePools),
        limit: limits.maxNodes,
      },
    },
    notConsulted: [...new Set([...offer.notConsulted, ...answer.notConsulted])],
  }
}

/** One problem per field: the first says why, and whoever knows them says which values would do. */
function merged(problems: readonly PreviewProblem[]): PreviewProblem[] {
  const byField = new Map<string, PreviewProblem>()
  for (const problem of problems) {
    const key = problem.field ?? problem.message
    const known = byField.get(key)
    byField.set(key, known === undefined ? problem : { ...known, supported: known.supported ?? problem.supported })
  }
  return [...byField.values()]
}

interface Answer {
  readonly problems: readonly PreviewProblem[]
  readonly notConsulted: readonly string[]
}

async function askCatalogue(
  { gardener, clock }: InsightDeps,
  { facts, wanted, before }: Previewed,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const call = { clock, ms: GARDENER_MS, call: 'the catalogue of Gardener' }
    const catalogue = await answerWithin(call, () => gardener.catalogue(signal))
    return { problems: offerProblems(catalogue, facts.limits, wanted, before), notConsulted: [] }
  } catch (error) {
    return judged(error)
  }
}

interface AdmissionAnswer extends Answer {
  readonly fields: ClusterPreview['fields']
  /** Names of worker groups whose machines are replaced. */
  readonly rolled: ReadonlySet<string>
}

/** A dry run of the Shoot, with all of Gardener's admission. */
async function askAdmission(deps: InsightDeps, asked: Previewed, signal: AbortSignal): Promise<AdmissionAnswer> {
  const call = { clock: deps.clock, ms: GARDENER_MS, call: 'the dry run of the Shoot' }
  try {
    return await answerWithin(call, () =>
      askOwn(deps, asked, signal).catch((error: unknown) => {
        if (failureOf(error).code !== 'NamespacePending') throw error
        return askOperators(deps, asked, signal)
      }),
    )
  } catch (error) {
    return { ...NO_CHANGE, ...judged(error) }
  }
}

const NO_CHANGE = { fields: [], rolled: new Set<string>() } as const

async function askOwn(deps: InsightDeps, asked: Previewed, signal: AbortSignal): Promise<AdmissionAnswer> {
  const { gardener, settings } = deps
  const { wanted, before } = asked
  const live = before && (await presentShoot(deps, before, signal))
  const namespace =
    live?.metadata.namespace ?? settings.namespace ?? `garden-${projectFor(wanted.organizationId, settings)}`
  const draft = wantedShoot(wanted, settings, namespace, live?.metadata.name)
  const { fields, rolls } = previewOf(live, await gardener.dryRun(draft, signal))
  return {
    problems: [],
    notConsulted: [],
    fields: fields.map(({ path, ...values }) => ({ field: path, change: changeOf(values), ...values })),
    rolled: new Set(rolls.map(({ pool }) => pool)),
  }
}

/**
 * Before Gardener has made the project of the organization: a dry run in the namespace that credentials are copied from, which
 * belongs to the operators and to no organization. Only what is refused about a field of the request counts; quotas, names and
 * rights are others there.
 */
async function askOperators(
  { gardener, settings }: InsightDeps,
  { wanted }: Previewed,
  signal: AbortSignal,
): Promise<AdmissionAnswer> {
  const unasked: AdmissionAnswer = { ...NO_CHANGE, problems: [], notConsulted: [NO_PROJECT] }
  const { credentialsFrom: namespace, maxShootNameLen } = settings
  if (namespace === undefined) return unasked
  try {
    const name = shootName(wanted.id, projectOfNamespace(namespace), maxShootNameLen)
    await gardener.dryRun(wantedShoot(wanted, settings, namespace, name), signal)
    return { ...unasked, notConsulted: [OF_OPERATORS] }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    const problems = error instanceof ShootRefusal ? requestProblems(error) : []
    return problems.length === 0 ? unasked : { ...unasked, problems, notConsulted: [OF_OPERATORS] }
  }
}

/** Without what Gardener said besides: that is about the namespace of the operators. */
const requestProblems = ({ refused }: ShootRefusal): PreviewProblem[] =>
  refused
    .filter(({ field }) => IN_REQUEST.test(field))
    .map(({ field, message, supported }) => ({
      field,
      message,
      supported: supported.length === 0 ? null : supported,
      failure: raise.ShootRefused(`${field} ${message}`).failure,
    }))

/** As the server has it: the watch keeps only some of its fields. */
async function presentShoot(deps: InsightDeps, before: ListedCluster, signal: AbortSignal): Promise<Shoot | undefined> {
  const { shoot } = await observe(deps, { cluster: before, sync: before.sync }, { isApplied: false }, signal)
  if (shoot === undefined) return undefined
  const { namespace = '', name } = shoot.metadata
  return await deps.gardener.find({ namespace, name }, signal)
}

const changeOf = (values: object): 'added' | 'removed' | 'changed' =>
  'before' in values ? ('after' in values ? 'changed' : 'removed') : 'added'

/** Failures that say nothing about what was asked for. */
const UNANSWERED: ReadonlySet<string> = new Set(['GardenerUnreachable', 'GardenerForbidden', 'TimedOut'])

function judged(error: unknown): Answer {
  if (error instanceof ShootRefusal) {
    const { failure } = error
    return {
      notConsulted: [],
      problems: error.refused.map(({ field, message, supported }) => {
        const isAsked = IN_REQUEST.test(field)
        return {
          field: isAsked ? field : null,
          message: isAsked ? message : `${field} ${message}`,
          supported: supported.length === 0 ? null : supported,
          failure,
        }
      }),
    }
  }
  if (!(error instanceof FailureError)) throw error
  const failure = failureOf(error)
  if (UNANSWERED.has(failure.code)) {
    const why = failure.code === 'GardenerForbidden' ? 'Gardener refused to answer' : 'Gardener did not answer'
    return { problems: [], notConsulted: [`${why}: ${failure.message}`] }
  }
  return { problems: [{ field: null, message: failure.message, supported: null, failure }], notConsulted: [] }
}

const WITHOUT_PROJECT = 'the organization has no project in Gardener yet, which is made with its first cluster, so '
const NO_PROJECT = `${WITHOUT_PROJECT}Gardener's admission was not asked: maintenance, autoscale_min and autoscale_max of node_pools, and quotas of Gardener are not checked`
const OF_OPERATORS = `${WITHOUT_PROJECT}Gardener's admission checked all fields elsewhere: quotas of Gardener are not checked`

const IN_REQUEST = /^(?:name|region|kubernetes_version|hibernated|maintenance|node_pools)\b/

function effectsOf(
  before: ListedCluster | undefined,
  wanted: Cluster,
  rolled: ReadonlySet<string>,
): readonly NodePoolEffect[] {
  // Without a Shoot there are no machines that could be replaced or removed: all of them come with it.
  const present = before && hasShoot(before) ? before : undefined
  const { pools } = forecastOf({
    before: present?.nodePools ?? [],
    after: wanted.nodePools,
    ...(present && { versions: [presentVersion(present), wanted.kubernetesVersion] as const }),
    limit: null,
  })
  return pools.map(({ name, change, then, surge }) => {
    const rolls = change === 'rolled' || rolled.has(workerName(name))
    const most = then?.max ?? 0
    return {
      name,
      change: rolls || change === 'scaled' ? 'changed' : change,
      rolls,
      machinesMin: then?.min ?? 0,
      machinesMax: most,
      machinesDuringRoll: rolls ? most + Math.max(surge, 1) : most,
    }
  })
}
