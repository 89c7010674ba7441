import { GroupField } from './GroupField.tsx'
import { ListField } from './ListField.tsx'
import { LeafField } from './LeafField.tsx'
import { SecretField } from './SecretField.tsx'
import { useForm } from './form-context.ts'
import type { FieldProps, ShownField } from './form-context.ts'
import { at, pointerOf } from './json.ts'
import { effective, isWriteOnly, shapeOf } from './schema.ts'

/** One place of the schema, drawn as what it is at this moment. */
export function Field({ schema, place, required, title, isQuiet = false }: FieldProps) {
  const { state, issues, hints } = useForm()
  const pointer = pointerOf(place.path)
  const { schema: flat, alternatives } = effective(schema, at(state.values, place.path), state.choices[pointer])
  const hint = hints.get(pointerOf(place.pattern))
  const shown: ShownField = {
    schema: flat,
    ...(alternatives && { alternatives }),
    place,
    required,
    label: title ?? hint?.title ?? (typeof flat.title === 'string' ? flat.title : String(place.path.at(-1) ?? '')),
    isQuiet,
    description: typeof flat.description === 'string' ? flat.description : undefined,
    unit: hint?.unit,
    error: issues.get(pointer),
  }
  if (isWriteOnly(flat)) return <SecretField {...shown} />
  const shape = shapeOf(flat)
  if (shape === 'array') return <ListField {...shown} />
  return shape === 'object' || alternatives ? <GroupField {...shown} /> : <LeafField {...shown} />
}
