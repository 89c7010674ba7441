export { refusalsOf, type Refusals } from './refusals.ts'
export { SchemaForm } from './SchemaForm.tsx'
export { useSchemaForm, type SchemaForm as SchemaFormHandle } from './use-schema-form.ts'
export type { Json, JsonObject } from './json.ts'
