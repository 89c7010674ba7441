/** The metadata that is used here; other fields pass through unchanged. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFields[]
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ManagedFields {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsType: 'FieldsV1'
  readonly fieldsV1: Readonly<Record<string, unknown>>
  readonly subresource?: string
}

export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** An object on its way to the server: the server fills in what is missing. */
export type Draft<T extends KubeObject = KubeObject> = Omit<T, 'metadata' | 'status'> & {
  readonly metadata: Partial<ObjectMeta> & { readonly name: string }
}

/** The address of a kind. `T` exists in the type only, so that reads are typed. */
export interface Resource<T extends KubeObject = KubeObject> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly _type?: T
}

/** Identifies one object of a resource. A cluster-scoped object has no namespace. */
export interface At {
  readonly namespace?: string
  readonly name: string
}

export const apiVersionOf = ({ group, version }: Pick<Resource, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

export const at = ({ metadata }: KubeObject): At =>
  metadata.namespace === undefined ? { name: metadata.name } : { namespace: metadata.namespace, name: metadata.name }
