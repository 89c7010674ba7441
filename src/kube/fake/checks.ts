import * as refuse from './failure.ts'
import { type Json, listAt, objectAt, textAt } from './json.ts'
import { apiVersionOf, type KindInfo } from './registry.ts'
import type { Place } from './storage.ts'
import type { World } from './world.ts'

export function checkIdentity(kind: KindInfo, place: Place, body: Json): void {
  const metadata = objectAt(body, 'metadata')
  const [said, meant] = [textAt(body, 'kind'), kind.kind]
  const version = textAt(body, 'apiVersion')
  if ((said !== '' && said !== meant) || (version !== '' && version !== apiVersionOf(kind))) {
    throw refuse.badRequest(`${said} in version "${version}" cannot be handled as a ${meant}`)
  }
  const name = textAt(metadata, 'name')
  if (name !== '' && name !== place.name) {
    throw refuse.badRequest(`the name of the object (${name}) does not match the name on the URL (${place.name})`)
  }
  const namespace = textAt(metadata, 'namespace')
  if (namespace !== '' && namespace !== place.namespace) {
    throw refuse.badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

export function checkVersion(kind: KindInfo, before: Json, asked: Json, name: string): void {
  const version = textAt(asked, 'resourceVersion')
  if (version === '' && kind.custom) {
    const message = 'Invalid value: 0: must be specified for an update'
    throw refuse.invalid(kind, name, [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message }])
  }
  if (version !== '' && version !== before['resourceVersion']) throw refuse.modified(kind, name)
}

/** A replacement or patch must not change the identity of an object. The server has a message for each. */
export function checkUid(kind: KindInfo, before: Json, asked: Json, isReplaced: boolean): void {
  const [uid, present, name] = [textAt(asked, 'uid'), textAt(before, 'uid'), textAt(before, 'name')]
  if (uid === '' || uid === present) return
  if (isReplaced) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${present}`
    throw refuse.conflict(kind, name, why)
  }
  const message = `Invalid value: "${uid}": field is immutable`
  throw refuse.invalid(kind, name, [{ reason: 'FieldValueInvalid', field: 'metadata.uid', message }])
}

export function checkFinalizers(kind: KindInfo, before: Json, after: Json, name: string): void {
  if (!('deletionTimestamp' in before)) return
  const known = listAt(before, 'finalizers')
  const added = listAt(after, 'finalizers').filter((finalizer) => !known.includes(finalizer))
  if (added.length === 0) return
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ')
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`
  throw refuse.invalid(kind, name, [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', message }])
}

export function checkNamespace({ storage, registry }: World, kind: KindInfo, namespace: string, name: string): void {
  if (!kind.namespaced) return
  const namespaces = registry.find('', 'v1', 'namespaces')
  if (namespaces === undefined) return
  const found = storage.get(namespaces, { namespace: '', name: namespace })
  if (found === undefined) throw refuse.notFound(namespaces, namespace)
  if (!('deletionTimestamp' in objectAt(found, 'metadata'))) return
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  throw refuse.forbidden(
    kind,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [cause],
  )
}
