import type { Deployment, KubeObject, Pod } from '../../../kube/index.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import type { ObservedChild } from '../types.ts'

/** The revision of a ReplicaSet; on its Deployment the newest one. A rollback gives an old ReplicaSet a new number. */
export const REVISION = 'deployment.kubernetes.io/revision'
const TEMPLATE_HASH = 'pod-template-hash'
const KNATIVE_SERVICE = 'serving.knative.dev/service'
const KNATIVE_REVISION = 'serving.knative.dev/revision'

type Superseded = (pod: Pick<Pod, 'metadata'>) => boolean

/**
 * Which pods are of a revision that their workload has left behind. They are on their way out, and tell nothing about what is
 * wanted now.
 *
 * Only what is certain counts as left behind. While the workload's controller has not seen the newest spec, or a watch has not
 * shown which revision is the newest, every pod counts as current.
 */
export function supersededPods(
  children: readonly ObservedChild[],
  replicaSets: readonly Pick<KubeObject, 'metadata'>[],
): Superseded {
  const old = new Set(children.flatMap((child) => oldHashes(child, replicaSets)))
  const newest = new Map(children.flatMap(newestRevision))
  return ({ metadata: { labels = {} } }) => {
    const revision = newest.get(labels[KNATIVE_SERVICE] ?? '')
    if (revision !== undefined) return (labels[KNATIVE_REVISION] ?? revision) !== revision
    return old.has(labels[TEMPLATE_HASH] ?? '')
  }
}

/** The template of each workload bears labels of its own, so that no two of them share a hash. */
function oldHashes({ kind, uid, object }: ObservedChild, all: readonly Pick<KubeObject, 'metadata'>[]): string[] {
  if (kind !== 'Deployment' || !isSeen(object)) return []
  const revisionOf = ({ metadata }: Pick<KubeObject, 'metadata'>) => metadata.annotations?.[REVISION]
  const newest = revisionOf(object)
  const mine = all.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true)
  if (newest === undefined || !mine.some((one) => revisionOf(one) === newest)) return []
  return mine
    .filter((one) => Number(revisionOf(one)) < Number(newest))
    .flatMap(({ metadata }) => metadata.labels?.[TEMPLATE_HASH] ?? [])
}

function newestRevision({ kind, name, object }: ObservedChild): [string, string][] {
  if (kind !== 'KnativeService' || !isSeen(object)) return []
  const newest = (object as KnativeService).status?.latestCreatedRevisionName
  return newest === undefined ? [] : [[name, newest]]
}

const isSeen = ({ metadata, status }: Pick<Deployment | KnativeService, 'metadata' | 'status'>): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
