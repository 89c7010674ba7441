export {
  diffFields,
  leafFields,
  unmetFields,
  type FieldChange,
  type ObjectChange,
  type PreviewDiff,
  type UnmetField,
} from './diff.ts'
export { isApplier, isOwnedBy, mergeFields, ownedFields, Ownership, ownerText, type FieldOwner } from './ownership.ts'
export { isFields, type Fields } from './fields.ts'
export { mergeKeysOf } from './list-keys.ts'
export { isAtOrBelow, pathIn, pathText, valueAt, withoutField, type FieldPath, type PathPart } from './path.ts'
