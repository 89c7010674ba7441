import { isObject, type Json, listAt, objectAt, textAt } from './json.ts'
import { notFound } from './failure.ts'
import type { ResourceAttributes, Rbac, User } from './rbac.ts'
import type { KindInfo } from './registry.ts'
import type { Place } from './storage.ts'
import { timeText, type World } from './world.ts'

const REVIEWS = /^\/apis\/authorization\.k8s\.io\/v1\/(self)?subjectaccessreviews$/

/** Answers access reviews; nothing is stored. */
export function accessReview(path: string, body: Json, rbac: Rbac, caller: User): Json | undefined {
  const match = REVIEWS.exec(path)
  if (match === null) return undefined
  const spec = objectAt(body, 'spec')
  const asked = objectAt(spec, 'resourceAttributes')
  const user =
    match[1] === undefined ? { name: textAt(spec, 'user'), groups: listAt(spec, 'groups').map(String) } : caller
  return { ...body, status: { allowed: rbac.allows(user, attributesOf(asked)) } }
}

const attributesOf = (asked: Json): ResourceAttributes => {
  const subresource = textAt(asked, 'subresource')
  return {
    verb: textAt(asked, 'verb'),
    group: textAt(asked, 'group'),
    resource: textAt(asked, 'resource') + (subresource === '' ? '' : `/${subresource}`),
    namespace: textAt(asked, 'namespace'),
    name: textAt(asked, 'name'),
  }
}

/** A token of a service account with its subject and expiry, unsigned. */
export function tokenFor({ storage, clock }: World, kind: KindInfo, { namespace, name }: Place, body: Json): Json {
  const account = storage.get(kind, { namespace, name })
  if (account === undefined) throw notFound(kind, name)
  const spec = isObject(body['spec']) ? body['spec'] : {}
  const seconds = Number(spec['expirationSeconds'] ?? 3600)
  const claims = {
    sub: `system:serviceaccount:${namespace}:${name}`,
    exp: Math.floor(clock.now() / 1000) + seconds,
    aud: spec['audiences'],
  }
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  return {
    ...body,
    status: { token: `${encode({ alg: 'none' })}.${encode(claims)}.`, expirationTimestamp: timeText(clock, seconds) },
  }
}
