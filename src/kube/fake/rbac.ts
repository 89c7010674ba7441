import { isObject, type Json, listAt, objectAt, textAt } from './json.ts'
import type { Registry } from './registry.ts'
import type { Storage } from './storage.ts'

export interface User {
  readonly name: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** A request in the terms of RBAC. */
export interface ResourceAttributes {
  readonly verb: string
  readonly group: string
  /** With its subresource: `pods/log`. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

const GROUP = 'rbac.authorization.k8s.io'

/** Decides by the Roles and bindings stored in the server. Members of `system:masters` may do everything. */
export class Rbac {
  readonly #storage: Storage
  readonly #registry: Registry

  constructor(storage: Storage, registry: Registry) {
    this.#storage = storage
    this.#registry = registry
  }

  allows(user: User, attributes: ResourceAttributes): boolean {
    if (user.groups.includes('system:masters')) return true
    return this.#rulesFor(user, attributes.namespace).some((rule) => covers(rule, attributes))
  }

  #rulesFor(user: User, namespace: string): Json[] {
    const bindings = [
      ...this.#list('clusterrolebindings'),
      ...(namespace === '' ? [] : this.#list('rolebindings', namespace)),
    ]
    return bindings
      .filter((binding) => listAt(binding, 'subjects').some((subject) => isObject(subject) && names(subject, user)))
      .flatMap((binding) => {
        const ref = objectAt(binding, 'roleRef')
        const roles = ref['kind'] === 'ClusterRole' ? this.#list('clusterroles') : this.#list('roles', namespace)
        const role = roles.find((one) => objectAt(one, 'metadata')['name'] === ref['name'])
        return role === undefined ? [] : listAt(role, 'rules').filter(isObject)
      })
  }

  #list(plural: string, namespace?: string): Json[] {
    const kind = this.#registry.find(GROUP, 'v1', plural)
    return kind === undefined ? [] : this.#storage.list(kind, namespace)
  }
}

function names(subject: Json, user: User): boolean {
  const name = textAt(subject, 'name')
  switch (subject['kind']) {
    case 'User':
      return name === user.name
    case 'Group':
      return user.groups.includes(name)
    case 'ServiceAccount':
      return user.name === `system:serviceaccount:${textAt(subject, 'namespace')}:${name}`
    default:
      return false
  }
}

function covers(rule: Json, attributes: ResourceAttributes): boolean {
  const has = (field: string, wanted: string): boolean => {
    const list = listAt(rule, field)
    return list.includes('*') || list.includes(wanted)
  }
  const only = listAt(rule, 'resourceNames')
  return (
    has('verbs', attributes.verb) &&
    has('apiGroups', attributes.group) &&
    has('resources', attributes.resource) &&
    (only.length === 0 || only.includes(attributes.name))
  )
}
