import * as refuse from './failure.ts'
import { type Json, listAt, objectAt, textAt } from './json.ts'
import type { KindInfo } from './registry.ts'
import type { Place } from './storage.ts'
import { timeText, type World } from './world.ts'

export interface Deletion {
  readonly propagation: string
  readonly graceSeconds: number | undefined
  readonly uid: string
  readonly resourceVersion: string
  readonly dryRun: boolean
}

/** Finalizers that make the garbage collector act before the deletion. */
const PROPAGATION: Readonly<Record<string, string>> = { Foreground: 'foregroundDeletion', Orphan: 'orphan' }

/** Removes an object, or sets its deletionTimestamp while finalizers or a grace period hold it. */
export function deleteObject(world: World, kind: KindInfo, place: Place, deletion: Deletion): Json {
  const { storage, clock } = world
  const object = storage.get(kind, place)
  if (object === undefined) throw refuse.notFound(kind, place.name)
  const metadata = objectAt(object, 'metadata')
  checkPreconditions(kind, metadata, deletion)
  world.plugin({ operation: 'delete', kind, subresource: '', object, old: object })

  const finalizers = finalizersFor(metadata, deletion.propagation)
  const grace = graceOf(kind, object, deletion)
  const isHeld = finalizers.length > 0 || grace > 0 || kind.kind === 'Namespace'
  if (!isHeld) {
    if (!deletion.dryRun) storage.remove(kind, object)
    return goneNote(kind, metadata)
  }
  if ('deletionTimestamp' in metadata && Number(metadata['deletionGracePeriodSeconds'] ?? 0) <= grace) {
    if (finalizers.length === listAt(metadata, 'finalizers').length) return object
  }
  const going = {
    ...object,
    ...(kind.kind === 'Namespace' && { status: { ...objectAt(object, 'status'), phase: 'Terminating' } }),
    metadata: {
      ...metadata,
      ...(finalizers.length > 0 && { finalizers }),
      ...('generation' in metadata &&
        !('deletionTimestamp' in metadata) && { generation: Number(metadata['generation']) + 1 }),
      deletionTimestamp:
        'deletionTimestamp' in metadata && grace === 0 ? metadata['deletionTimestamp'] : timeText(clock, grace),
      ...(kind.kind !== 'Namespace' && { deletionGracePeriodSeconds: grace }),
    },
  }
  return deletion.dryRun ? going : storage.put(kind, going)
}

function checkPreconditions(kind: KindInfo, metadata: Json, { uid, resourceVersion }: Deletion): void {
  const name = textAt(metadata, 'name')
  if (uid !== '' && uid !== metadata['uid']) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${textAt(metadata, 'uid')}). The object might have been deleted and then recreated`
    throw refuse.conflict(kind, name, why)
  }
  if (resourceVersion !== '' && resourceVersion !== metadata['resourceVersion']) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${textAt(metadata, 'resourceVersion')}). The object might have been modified`
    throw refuse.conflict(kind, name, why)
  }
}

function finalizersFor(metadata: Json, propagation: string): readonly unknown[] {
  const present = listAt(metadata, 'finalizers')
  const wanted = PROPAGATION[propagation]
  if (propagation === '') return present
  const others = present.filter((finalizer) => finalizer !== 'foregroundDeletion' && finalizer !== 'orphan')
  return wanted === undefined ? others : [...others, wanted]
}

/** Only a pod on a node has a grace period; its kubelet confirms the end by a deletion without grace. */
function graceOf(kind: KindInfo, object: Json, { graceSeconds }: Deletion): number {
  const spec = objectAt(object, 'spec')
  const phase = objectAt(object, 'status')['phase']
  if (kind.kind !== 'Pod' || textAt(spec, 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0
  return graceSeconds ?? Number(spec['terminationGracePeriodSeconds'] ?? 30)
}

const goneNote = (kind: KindInfo, metadata: Json): Json => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: metadata['name'],
    ...(kind.group !== '' && { group: kind.group }),
    kind: kind.plural,
    uid: metadata['uid'],
  },
})
