import { Type, type TSchema } from 'typebox'
import type { RuntimeInput, Runtimes } from '../../../domains/runtimes/usecases/index.ts'
import { ClassRuntime, type ClassRuntimeSpec } from '../../../domains/runtimes/index.ts'
import { RefusedFields } from '../../../kernel/index.ts'
import { RuntimeManifest, type RuntimePath } from '../../contract/index.ts'

export interface RuntimesParts {
  readonly runtimes: Runtimes
}

/** What the custom resource definition knows, and nothing else: a server would drop an unknown field without a word. */
function strictly(schema: TSchema): TSchema {
  const { properties, items, patternProperties, ...rest } = schema as TSchema & {
    readonly properties?: Readonly<Record<string, TSchema>>
    readonly items?: TSchema
    readonly patternProperties?: Readonly<Record<string, TSchema>>
  }
  const each = (all: Readonly<Record<string, TSchema>>) =>
    Object.fromEntries(Object.entries(all).map(([name, inner]) => [name, strictly(inner)]))
  return {
    ...rest,
    ...(properties && { properties: each(properties), additionalProperties: false }),
    ...(patternProperties && { patternProperties: each(patternProperties) }),
    ...(items && { items: strictly(items) }),
  }
}

/** The manifest of the contract, with every field of the spec. */
export const ManifestBody = Type.Object(
  { ...RuntimeManifest.properties, spec: Type.Unsafe<ClassRuntimeSpec>(strictly(ClassRuntime.spec)) },
  { additionalProperties: false, description: 'A ClassRuntime as one writes it for kubectl. Namespace: `default`.' },
)

type Manifest = Type.Static<typeof ManifestBody>

const DEFAULT_NAMESPACE = 'default'

/** What a body asks for. The path, where there is one, and the body must mean the same object. */
export function inputIn({ metadata, spec }: Manifest, path?: RuntimePath): RuntimeInput {
  const { name, namespace = path?.namespace ?? DEFAULT_NAMESPACE, labels, annotations } = metadata
  const elsewhere = (field: 'name' | 'namespace', written: string) =>
    path !== undefined && path[field] !== written
      ? [{ field: `metadata.${field}`, message: `must be ${path[field]} as in the path` }]
      : []
  const problems = [...elsewhere('name', name), ...elsewhere('namespace', namespace), ...repeated(spec)]
  if (problems.length > 0) throw new RefusedFields(problems)
  return { namespace, name, labels, annotations, spec }
}

function repeated({ functions = [] }: ClassRuntimeSpec): { field: string; message: string }[] {
  const keys = functions.map(({ function_key: key }) => key)
  return keys.flatMap((key, index) => {
    const first = keys.indexOf(key)
    const field = `spec.functions[${index}].function_key`
    return first === index ? [] : [{ field, message: `is the same as spec.functions[${first}].function_key` }]
  })
}
