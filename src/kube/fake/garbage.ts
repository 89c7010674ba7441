import { type Deletion, deleteObject } from './deletes.ts'
import { type Json, listAt, objectAt, textAt } from './json.ts'
import type { KindInfo } from './registry.ts'
import { placeOf } from './storage.ts'
import type { World } from './world.ts'

/** Deletes objects without an owner and empties terminating namespaces, as the controllers of Kubernetes do. */
export function collectGarbage(world: World): void {
  if (collectedAt.get(world) === world.storage.version) return
  while (collectOnce(world)) {
    // A deletion can leave other objects without an owner.
  }
  collectedAt.set(world, world.storage.version)
}

/** The version at which nothing was left to collect. */
const collectedAt = new WeakMap<World, number>()

const BACKGROUND: Deletion = {
  propagation: 'Background',
  graceSeconds: undefined,
  uid: '',
  resourceVersion: '',
  dryRun: false,
}

function collectOnce(world: World): boolean {
  const before = world.storage.version
  const everything = [...world.storage.all()].map(([, object]) => object)
  const alive = new Set(everything.map((object) => textAt(objectAt(object, 'metadata'), 'uid')))
  const held = new Set(
    everything.flatMap((object) =>
      ownersOf(object)
        .filter(({ blocks }) => blocks)
        .map(({ uid }) => uid),
    ),
  )
  const foreground = new Set(
    everything
      .filter((object) => finalizerOf(object, 'foregroundDeletion'))
      .map((object) => textAt(objectAt(object, 'metadata'), 'uid')),
  )
  for (const object of everything) {
    const owners = ownersOf(object)
    const isOrphan = owners.length > 0 && owners.every(({ uid }) => !alive.has(uid))
    const isFollowing = owners.length > 0 && owners.every(({ uid }) => !alive.has(uid) || foreground.has(uid))
    const uid = textAt(objectAt(object, 'metadata'), 'uid')
    if ((isOrphan || isFollowing) && !isGoing(object)) remove(world, object)
    else if (finalizerOf(object, 'foregroundDeletion') && !held.has(uid)) release(world, object, 'foregroundDeletion')
    else if (finalizerOf(object, 'orphan')) {
      for (const child of everything) if (ownersOf(child).some((owner) => owner.uid === uid)) disown(world, child, uid)
      release(world, object, 'orphan')
    }
  }
  for (const object of everything)
    if (object['kind'] === 'Namespace' && isGoing(object)) empty(world, object, everything)
  return world.storage.version !== before
}

const isGoing = (object: Json): boolean => 'deletionTimestamp' in objectAt(object, 'metadata')

const finalizerOf = (object: Json, name: string): boolean =>
  isGoing(object) && listAt(objectAt(object, 'metadata'), 'finalizers').includes(name)

const ownersOf = (object: Json): { readonly uid: string; readonly blocks: boolean }[] =>
  (listAt(objectAt(object, 'metadata'), 'ownerReferences') as Json[]).map((owner) => ({
    uid: textAt(owner, 'uid'),
    blocks: owner['blockOwnerDeletion'] === true,
  }))

const kindOf = ({ registry }: World, object: Json): KindInfo | undefined =>
  registry.byKind(textAt(object, 'apiVersion'), textAt(object, 'kind'))

function remove(world: World, object: Json): void {
  const kind = kindOf(world, object)
  if (kind !== undefined && world.storage.get(kind, placeOf(object)) !== undefined)
    deleteObject(world, kind, placeOf(object), BACKGROUND)
}

function release(world: World, object: Json, finalizer: string): void {
  const kind = kindOf(world, object)
  if (kind === undefined) return
  const metadata = objectAt(object, 'metadata')
  const finalizers = listAt(metadata, 'finalizers').filter((name) => name !== finalizer)
  if (finalizers.length === 0) world.storage.remove(kind, object)
  else world.storage.put(kind, { ...object, metadata: { ...metadata, finalizers } })
}

function disown(world: World, object: Json, uid: string): void {
  const kind = kindOf(world, object)
  const now = kind === undefined ? undefined : world.storage.get(kind, placeOf(object))
  if (kind === undefined || now === undefined) return
  const metadata = objectAt(now, 'metadata')
  const ownerReferences = (listAt(metadata, 'ownerReferences') as Json[]).filter((owner) => owner['uid'] !== uid)
  world.storage.put(kind, { ...now, metadata: { ...metadata, ownerReferences } })
}

function empty(world: World, namespace: Json, everything: readonly Json[]): void {
  const { name } = placeOf(namespace)
  const content = everything.filter((object) => placeOf(object).namespace === name)
  for (const object of content) if (!isGoing(object)) remove(world, object)
  const kind = kindOf(world, namespace)
  if (kind !== undefined && content.length === 0) world.storage.remove(kind, namespace)
}
