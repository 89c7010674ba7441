import { deleteObject } from '../deletes.ts'
import { type Json, objectAt, textAt } from '../json.ts'
import type { KindInfo } from '../registry.ts'
import { placeOf } from '../storage.ts'
import type { World } from '../world.ts'

export const isTerminating = (object: Json): boolean => 'deletionTimestamp' in objectAt(object, 'metadata')

export const kindOf = ({ registry }: World, object: Json): KindInfo | undefined =>
  registry.byKind(textAt(object, 'apiVersion'), textAt(object, 'kind'))

const BACKGROUND = {
  propagation: 'Background',
  graceSeconds: undefined,
  uid: '',
  resourceVersion: '',
  dryRun: false,
} as const

/** Deletes an object in the background, unless it is gone already. */
export function deleteIfPresent(world: World, object: Json): void {
  const kind = kindOf(world, object)
  if (kind !== undefined && world.storage.get(kind, placeOf(object)) !== undefined)
    deleteObject(world, kind, placeOf(object), BACKGROUND)
}
