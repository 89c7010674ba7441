import { randomUUID } from 'node:crypto'
import { answerWithin, failureOf, FailureError } from '../../../kernel/index.ts'
import { asUser, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { ShootRefusal } from '../gardener/refusal.ts'
import type { Shoot } from '../gardener/shoot.ts'
import { observe } from '../observe.ts'
import { previewOf } from '../preview.ts'
import { workerName } from '../shoot/names.ts'
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
import { changeProblems, orderProblems, presentVersion, type Facts } from './problems.ts'
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
      clusters: { used: usage.clusters, limit: limits.maxClusters },
      nodes: { used: usage.nodes, limit: limits.maxNodes },
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
  const { gardener, settings, clock } = deps
  const { wanted, before } = asked
  try {
    const call = { clock, ms: GARDENER_MS, call: 'the dry run of the Shoot' }
    return await answerWithin(call, async () => {
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
    })
  } catch (error) {
    return { ...judged(error), fields: [], rolled: new Set() }
  }
}

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
  if (UNANSWERED.has(failure.code))
    return { problems: [], notConsulted: [`Gardener did not answer: ${failure.message}`] }
  if (failure.code === 'NamespacePending') return { problems: [], notConsulted: [NO_PROJECT] }
  return { problems: [{ field: null, message: failure.message, supported: null, failure }], notConsulted: [] }
}

const NO_PROJECT =
  "Gardener's admission was not asked: the organization has no project in Gardener yet, which is made with its first cluster"

const IN_REQUEST = /^(?:name|region|kubernetes_version|hibernated|maintenance|node_pools)\b/

function effectsOf(
  before: ListedCluster | undefined,
  wanted: Cluster,
  rolled: ReadonlySet<string>,
): readonly NodePoolEffect[] {
  const { pools } = forecastOf({
    before: before?.nodePools ?? [],
    after: wanted.nodePools,
    ...(before && { versions: [presentVersion(before), wanted.kubernetesVersion] as const }),
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
