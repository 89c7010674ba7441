import { at, isForbidden, type KubeObject } from '../../kube/index.ts'
import { objectName } from './drift/diff-objects.ts'
import { asJson, inBatches, type ReleaseObject } from './drift/release-objects.ts'
import { viewing } from './fence.ts'
import { groupOf, pluralOf } from './grants/grant.ts'
import type { ReleaseRecord } from './helm/port.ts'
import type { Stray, StraysSeen } from './observed.ts'
import { releaseOf, type AppsParts } from './parts.ts'
import { isInScope } from './scope.ts'
import type { Deployment } from './types.ts'

interface Sighted {
  readonly deployment: Deployment
  /** The newest revision, without its claims. */
  readonly record: Pick<ReleaseRecord, 'status' | 'objects'>
  /** What a rollback would go back to. */
  readonly healthy: Pick<ReleaseRecord, 'objects'> | undefined
  /** What was read already. */
  readonly look: readonly ReleaseObject[]
  readonly rendered: (signal?: AbortSignal) => Promise<readonly KubeObject[]>
}

/** Which live objects a failed revision has brought. Most bring none, and then only records are read. */
export async function straysOf(
  parts: AppsParts,
  { deployment, record, healthy, look, rendered }: Sighted,
  signal?: AbortSignal,
): Promise<StraysSeen | undefined> {
  if (record.status !== 'failed' && healthy === undefined) return undefined
  const own = record.objects.filter((object) => isGrantable(object) || isInScope(object, deployment.namespaceName))
  // Without one that stands Helm compares with what failed.
  const standing = record.status === 'failed' ? await parts.releases.standing(releaseOf(deployment), signal) : undefined
  const added = standing === undefined ? [] : beside(own, standing.objects)
  // What cannot be rendered cannot be upgraded to.
  const next = added.length === 0 ? undefined : await rendered(signal).catch(() => undefined)
  signal?.throwIfAborted()
  const unwanted = next === undefined ? [] : beside(added, next)
  const undone = healthy === undefined ? [] : beside(own, healthy.objects)
  const found = await inBatches([...new Set([...unwanted, ...undone])], async (object) => ({
    object,
    stray: strayOf(deployment, object, await liveOf(parts, look, object, signal)),
  }))
  const among = (objects: readonly KubeObject[]): Stray[] =>
    found.flatMap(({ object, stray }) => (stray !== undefined && objects.includes(object) ? [stray] : []))
  const strays = { beforeUpgrade: among(unwanted), beforeRollBack: among(undone) }
  return strays.beforeUpgrade.length + strays.beforeRollBack.length === 0 ? undefined : strays
}

const beside = (objects: readonly KubeObject[], kept: readonly KubeObject[]): KubeObject[] => {
  const names = new Set(kept.map(nameOf))
  return objects.filter((object) => !names.has(nameOf(object)))
}

/**
 * Outside of the namespace. The template that granted it may be neither the desired one nor the applied one; the rights of the
 * release name everything that it ever had, and nothing else is shown or deleted.
 */
const isGrantable = (object: KubeObject): boolean =>
  object.metadata.namespace === undefined && pluralOf({ group: groupOf(object), kind: object.kind }) !== undefined

const nameOf = (object: KubeObject): string => objectName(asJson(object))

async function liveOf(
  { client, discovery }: AppsParts,
  look: readonly ReleaseObject[],
  object: KubeObject,
  signal?: AbortSignal,
): Promise<KubeObject | undefined> {
  const known = look.find(({ name }) => name === nameOf(object))
  if (known !== undefined) return known.live
  const resource = await discovery.resourceFor(object.apiVersion, object.kind)
  if (resource === undefined) return undefined
  return client
    .as(viewing)
    .get(resource, at(object), signal)
    .catch((error: unknown) => {
      // Without rights outside of the namespace it stays until the deployment is deleted.
      if (resource.namespaced || !isForbidden(error)) throw error
      return undefined
    })
}

/** Only what the release owns, and may delete. */
function strayOf({ releaseName }: Deployment, object: KubeObject, live: KubeObject | undefined): Stray | undefined {
  const { uid, name, annotations = {} } = live?.metadata ?? {}
  if (uid === undefined || name === undefined) return undefined
  const isOfRelease = annotations['meta.helm.sh/release-name'] === releaseName
  if (!isOfRelease || annotations['helm.sh/resource-policy'] === 'keep') return undefined
  const { apiVersion, kind } = object
  return { object: nameOf(object), apiVersion, kind, name, uid }
}
