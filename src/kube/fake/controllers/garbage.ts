import { type Json, listAt, objectAt, textAt } from '../json.ts'
import { placeOf } from '../storage.ts'
import type { World } from '../world.ts'
import { emptyNamespaces } from './namespace.ts'
import { deleteIfPresent, isTerminating, kindOf } from './objects.ts'

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

function collectOnce(world: World): boolean {
  const before = world.storage.version
  const everything: Json[] = []
  const alive = new Set<string>()
  const held = new Set<string>()
  const foreground = new Set<string>()
  for (const [, object] of world.storage.all()) {
    everything.push(object)
    alive.add(uidOf(object))
    for (const { uid, blocks } of ownersOf(object)) if (blocks) held.add(uid)
    if (finalizerOf(object, 'foregroundDeletion')) foreground.add(uidOf(object))
  }
  for (const object of everything) {
    const owners = ownersOf(object)
    const isFollowing = owners.length > 0 && owners.every(({ uid }) => !alive.has(uid) || foreground.has(uid))
    const uid = uidOf(object)
    if (isFollowing && !isTerminating(object)) deleteIfPresent(world, object)
    else if (finalizerOf(object, 'foregroundDeletion') && !held.has(uid)) release(world, object, 'foregroundDeletion')
    else if (finalizerOf(object, 'orphan')) {
      for (const child of everything) if (ownersOf(child).some((owner) => owner.uid === uid)) disown(world, child, uid)
      release(world, object, 'orphan')
    }
  }
  emptyNamespaces(world, everything)
  return world.storage.version !== before
}

const uidOf = (object: Json): string => textAt(objectAt(object, 'metadata'), 'uid')

const finalizerOf = (object: Json, name: string): boolean =>
  isTerminating(object) && listAt(objectAt(object, 'metadata'), 'finalizers').includes(name)

const ownersOf = (object: Json): { readonly uid: string; readonly blocks: boolean }[] =>
  (listAt(objectAt(object, 'metadata'), 'ownerReferences') as Json[]).map((owner) => ({
    uid: textAt(owner, 'uid'),
    blocks: owner['blockOwnerDeletion'] === true,
  }))

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
