import type { FieldChange, FieldPath, ObjectChange } from '../../../kube/fields/index.ts'
import { redactedDiff, type Hidden } from './diff.ts'
import { field, isJsonObject, textOf, type JsonObject } from '../values/json.ts'
import type { Redacted } from '../values/redaction.ts'

export interface RedactedChange extends ObjectChange {
  readonly fields: Redacted<readonly FieldChange[]>
}

/** Kind and name; with the group for kinds that are not built in. */
export function objectName(object: JsonObject): string {
  const { apiVersion = '', kind = '' } = object
  const metadata = field(object, 'metadata')
  const name = isJsonObject(metadata) ? metadata.name : undefined
  const [group = ''] = textOf(apiVersion).includes('/') ? textOf(apiVersion).split('/') : []
  const isBuiltIn = !group.includes('.') || group.endsWith('.k8s.io')
  return `${textOf(kind)}${isBuiltIn ? '' : `.${group}`}/${textOf(name)}`
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** The data of a Secret, and the copy that `kubectl apply` stores in an annotation. */
export const isSecretField = (object: JsonObject) => {
  const isSecret = object.kind === 'Secret'
  return ([first, second, third, ...rest]: FieldPath): boolean => {
    if (second === undefined || rest.length > 0) return false
    if (third === undefined) return isSecret && (first === 'data' || first === 'stringData')
    return first === 'metadata' && second === 'annotations' && third === LAST_APPLIED
  }
}

/** The field changes from one rendered manifest to another, for a preview. */
export function diffObjects(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  mask: NonNullable<Hidden['mask']>,
): readonly RedactedChange[] {
  const [old, now] = [before, after].map((objects) => new Map(objects.map((one) => [objectName(one), one])))
  const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].toSorted()
  return names.flatMap((object): RedactedChange[] => {
    const [was, is] = [old?.get(object), now?.get(object)]
    const fields = redactedDiff(was ?? {}, is ?? {}, { isSecret: isSecretField(is ?? was ?? {}), mask })
    if (fields.length === 0) return []
    return [{ object, change: was === undefined ? 'created' : is === undefined ? 'deleted' : 'changed', fields }]
  })
}
