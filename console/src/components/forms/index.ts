export { refusalsOf, type Refusals } from './refusals.ts'
export { SchemaForm } from './SchemaForm.tsx'
export { useSchemaForm } from './use-schema-form.ts'
export type { JsonObject } from './json.ts'
