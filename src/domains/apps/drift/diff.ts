import { diffFields, isFields, type FieldChange, type FieldPath } from '../../../kube/fields/index.ts'
import { MASK, type Redacted } from '../values/redaction.ts'

/** What must not be shown: fields by their path, and texts wherever they were rendered to. */
export interface Hidden {
  /** Whether the value at this path is secret as a whole. */
  readonly isSecret?: (path: FieldPath) => boolean
  readonly mask?: (text: string) => string
}

/** The fields that differ, without secrets. A changed secret is reported without its values. */
export const redactedDiff = (before: unknown, after: unknown, hidden: Hidden = {}): Redacted<readonly FieldChange[]> =>
  diffFields(before, after, hidden.isSecret).map(({ path, change, ...values }) => ({
    path,
    change,
    ...('before' in values && { before: show(values.before, path, hidden) }),
    ...('after' in values && { after: show(values.after, path, hidden) }),
  })) as unknown as Redacted<readonly FieldChange[]>

/** A copy of a value without secrets. */
export function show(value: unknown, path: FieldPath, hidden: Hidden): unknown {
  if (hidden.isSecret?.(path) === true) return MASK
  if (Array.isArray(value)) return value.map((item, index) => show(item, [...path, { index }], hidden))
  if (isFields(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, show(inner, [...path, key], hidden)]))
  }
  if ((typeof value !== 'string' && typeof value !== 'number') || hidden.mask === undefined) return value
  const masked = hidden.mask(String(value))
  return masked === String(value) ? value : masked
}
