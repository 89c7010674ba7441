import { failureOf, type Failure, type Masker } from '../../kernel/index.ts'
import {
  at,
  isConflict,
  isNotFound,
  type Client,
  type FieldChange,
  type FieldConflict,
  type KubeObject,
  type PreviewDiff,
} from '../../kube/index.ts'
import type { PreviewInputs, Rendering } from './usecases/index.ts'
import { redactedDiff } from './drift/diff.ts'
import { diffObjects, objectName, type RedactedChange } from './drift/diff-objects.ts'
import { autoscalersIn } from './drift/autoscalers.ts'
import { asStored } from './drift/manifest-fields.ts'
import { driftSeen, OUR_MANAGER, settleConflicts } from './drift/drift.ts'
import type { OwnershipFacts } from './drift/allowed-owners.ts'
import { viewing } from './fence.ts'
import type { ReleaseTarget } from './helm/port.ts'
import type { JsonObject } from './values/json.ts'
import type { RenderOptions } from './helm/port.ts'
import { grantsFor } from './grants/grant.ts'
import type { HandedOver, Unrepairable } from './observed.ts'
import { releaseOf, renderTargetOf, type AppsParts } from './parts.ts'
import { chartOf } from './plan.ts'
import { masker, type Redacted } from './values/redaction.ts'
import { allowancesOf, asJson, asObject, inBatches, keptBy, readRelease, without } from './drift/release-objects.ts'

export interface Previewed extends PreviewDiff {
  readonly values: Redacted<readonly FieldChange[]>
  readonly objects: readonly RedactedChange[]
  readonly leftAlone: NonNullable<PreviewDiff['leftAlone']>
  readonly notConsulted: readonly string[]
}

/**
 * The exact field changes that saving would make, and nothing that is secret. The chart is rendered, and the API server
 * answers in a dry run what would become of each object: with its defaults, and as its webhooks would change it.
 */
export async function previewOf(parts: AppsParts, inputs: PreviewInputs, signal?: AbortSignal): Promise<Previewed> {
  const { before, after, secrets } = inputs
  const mask = masker(secrets)
  const values = redactedDiff(before?.shown ?? {}, after.shown, { mask })
  const notConsulted: string[] = []
  const target = await renderTargetOf(parts, after, signal)
  // Without a namespace there is nothing to compare with, and no dry run is possible.
  const asked = target.as && parts.client.as(target.as)
  const present = asked === undefined ? NOTHING : await presentObjects(parts, after, mask, signal)
  const wanted = await render(parts, target, after, { mask, isUpgrade: present.isReleased }, signal)
  if (asked === undefined && wanted.length > 0) {
    notConsulted.push(`the API server: namespace ${after.deployment.namespaceName} does not exist yet`)
  }
  const leftOut: HandedOver[] = [
    ...present.handedOver,
    ...keptBy(wanted, present.unrepairable, parts.settings.digestSalt),
  ]
  const facts = async (): Promise<OwnershipFacts> => ({
    ...allowancesOf(parts.settings, after.template),
    autoscalers: await autoscalersIn(parts.client.as(viewing), parts.discovery, after.deployment.namespaceName, signal),
  })
  const would = await inBatches(wanted, async (object) => {
    const answer = asked && (await dryRun(parts, asked, { desired: object, leftOut, facts }, signal))
    if (answer === undefined) return object
    if ('result' in answer) {
      leftOut.push(...answer.handOver)
      return answer.result
    }
    notConsulted.push(`${objectName(asJson(object))}: ${mask.excerpt(answer.message)}`)
    return object
  })
  const objects = diffObjects(present.objects.map(shown), would.map(shown), mask)
  return { values, objects, leftAlone: toldOf(leftOut, mask), notConsulted }
}

/** Once each: a field that differs now may be another's in the new manifest, too. */
const toldOf = (fields: readonly HandedOver[], mask: Masker): Previewed['leftAlone'] => [
  ...new Map(
    fields.map(({ object, path, owner, why }) => [
      `${object} ${path}`,
      { object, path, why: mask.excerpt(why ?? `it is left to ${owner}`) },
    ]),
  ).values(),
]

async function render(
  parts: AppsParts,
  target: ReleaseTarget,
  { template, given }: Rendering,
  options: RenderOptions,
  signal?: AbortSignal,
) {
  const chart = await parts.charts.fetch(chartOf(template), signal)
  return parts.helm.render(target, chart, given, signal, options)
}

interface Present {
  readonly isReleased: boolean
  readonly objects: readonly KubeObject[]
  readonly handedOver: readonly HandedOver[]
  readonly unrepairable: readonly Unrepairable[]
}

const NOTHING: Present = { isReleased: false, objects: [], handedOver: [], unrepairable: [] }

/** What the release has in the control plane now, and the fields of it that others are meant to hold. */
async function presentObjects(
  parts: AppsParts,
  { deployment, template }: Rendering,
  mask: (text: string) => string,
  signal?: AbortSignal,
): Promise<Present> {
  const record = await parts.releases.newest(releaseOf(deployment), signal)
  if (record === undefined || record.status === 'uninstalled') return NOTHING
  const { namespaceName: namespace, unrepairable: known } = deployment
  const granted = grantsFor(template.grants ?? [], deployment.releaseName)
  const options = { namespace, template, granted, mask, known, ...(signal && { signal }) }
  const look = await readRelease(parts, record, options)
  const { handedOver, unrepairable } = driftSeen(look.objects.map(({ drift }) => drift))
  const objects = look.objects.flatMap(({ live }) => (live === undefined ? [] : [live]))
  return { isReleased: true, objects, handedOver, unrepairable }
}

interface Asked {
  readonly desired: KubeObject
  readonly leftOut: readonly HandedOver[]
  readonly facts: () => Promise<OwnershipFacts>
}

/**
 * What the API server would make of it, and which fields an upgrade would leave to those who hold them; `undefined` when it
 * does not know the kind; why not, when it refuses.
 */
async function dryRun(
  { discovery }: AppsParts,
  client: Client,
  { desired, leftOut, facts }: Asked,
  signal?: AbortSignal,
): Promise<{ readonly result: KubeObject; readonly handOver: readonly HandedOver[] } | Failure | undefined> {
  const resource = await discovery.resourceFor(desired.apiVersion, desired.kind)
  if (resource === undefined) return undefined
  const name = objectName(asJson(desired))
  const rest = without(desired, pathsOf(leftOut.filter((one) => one.object === name)))
  const object = asObject(asStored(asJson(rest)))
  const options = { fieldManager: OUR_MANAGER, dryRun: true, ...(signal && { signal }) }
  const forced = async (conflicts: readonly FieldConflict[]) => {
    const { handOver } = settleConflicts(asJson(object), conflicts, await facts())
    const result = await client.apply(resource, without(object, pathsOf(handOver)), { ...options, force: true })
    return { result, handOver }
  }
  try {
    return await client.apply(resource, object, options).then(
      (result) => ({ result, handOver: [] }),
      (error: unknown) => {
        if (isConflict(error) && error.conflicts.length > 0) return forced(error.conflicts)
        throw error
      },
    )
  } catch (error) {
    if (signal?.aborted) throw error
    return isNotFound(error) ? undefined : failureOf(error)
  }
}

const pathsOf = (fields: readonly HandedOver[]): string[] => fields.map(({ path }) => path)

/** What people wrote or would write: no bookkeeping of the server, no status. */
function shown(object: KubeObject): JsonObject {
  const {
    apiVersion,
    kind,
    metadata,
    status: _status,
    ...rest
  } = asJson(object) as JsonObject & { metadata: JsonObject }
  const { labels = {}, annotations = {} } = metadata
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', metadata: { ...at(object), labels, annotations }, ...rest }
}
