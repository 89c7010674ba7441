import { failureOf, type Failure } from '../../kernel/index.ts'
import { at, isNotFound, type Client, type FieldChange, type KubeObject, type PreviewDiff } from '../../kube/index.ts'
import type { PreviewInputs, Rendering } from './usecases/index.ts'
import { redactedDiff } from './drift/diff.ts'
import { diffObjects, objectName, type RedactedChange } from './drift/diff-objects.ts'
import { OUR_MANAGER } from './drift/drift.ts'
import type { ReleaseTarget } from './helm/port.ts'
import type { JsonObject } from './values/json.ts'
import type { RenderOptions } from './helm/port.ts'
import { grantsFor } from './grants/grant.ts'
import type { HandedOver } from './observed.ts'
import { releaseOf, renderTargetOf, type AppsParts } from './parts.ts'
import { chartOf } from './plan.ts'
import { masker, type Redacted } from './values/redaction.ts'
import { asJson, inBatches, readRelease, without } from './drift/release-objects.ts'

export interface Previewed extends PreviewDiff {
  readonly values: Redacted<readonly FieldChange[]>
  readonly objects: readonly RedactedChange[]
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
  // Without a namespace there is nothing to compare with, and nobody to ask.
  const asked = target.as && parts.client.as(target.as)
  const present = asked === undefined ? NOTHING : await presentObjects(parts, after, mask, signal)
  const wanted = await render(parts, target, after, { mask, isUpgrade: present.isReleased }, signal)
  if (asked === undefined && wanted.length > 0) {
    notConsulted.push(`the API server: namespace ${after.deployment.namespaceName} does not exist yet`)
  }
  const would = await inBatches(wanted, async (object) => {
    const answer = asked === undefined ? undefined : await dryRun(parts, asked, object, present.handedOver, signal)
    if (answer === undefined) return object
    if ('metadata' in answer) return answer
    notConsulted.push(`${objectName(asJson(object))}: ${mask.excerpt(answer.message)}`)
    return object
  })
  const objects = diffObjects(present.objects.map(shown), would.map(shown), mask)
  return { values, objects, notConsulted }
}

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
}

const NOTHING: Present = { isReleased: false, objects: [], handedOver: [] }

/** What the release has in the control plane now, and the fields of it that others are meant to hold. */
async function presentObjects(
  parts: AppsParts,
  { deployment, template }: Rendering,
  mask: (text: string) => string,
  signal?: AbortSignal,
): Promise<Present> {
  const record = await parts.releases.newest(releaseOf(deployment), signal)
  if (record === undefined || record.status === 'uninstalled') return NOTHING
  const granted = grantsFor(template.grants ?? [], deployment.releaseName)
  const options = { namespace: deployment.namespaceName, template, granted, mask, known: [], ...(signal && { signal }) }
  const look = await readRelease(parts, record, options)
  return {
    isReleased: true,
    objects: look.objects.flatMap(({ live }) => (live === undefined ? [] : [live])),
    handedOver: look.objects.flatMap(({ name, drift }) =>
      drift.leftAlone.map(({ path, owner }): HandedOver => ({ object: name, path, owner })),
    ),
  }
}

/** What the API server would make of it; `undefined` when it does not know the kind; why not, when it refuses. */
async function dryRun(
  { discovery }: AppsParts,
  client: Client,
  object: KubeObject,
  handedOver: readonly HandedOver[],
  signal?: AbortSignal,
): Promise<KubeObject | Failure | undefined> {
  const resource = await discovery.resourceFor(object.apiVersion, object.kind)
  if (resource === undefined) return undefined
  const name = objectName(asJson(object))
  const paths = handedOver.filter((one) => one.object === name).map(({ path }) => path)
  try {
    const options = { fieldManager: OUR_MANAGER, force: true, dryRun: true, ...(signal && { signal }) }
    return await client.apply(resource, without(object, paths), options)
  } catch (error) {
    if (signal?.aborted) throw error
    return isNotFound(error) ? undefined : failureOf(error)
  }
}

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
