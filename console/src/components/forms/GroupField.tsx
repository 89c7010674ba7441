import { Select, Stack } from '@mantine/core'
import { Fragment } from 'react'
import { EntriesField } from './EntriesField.tsx'
import { FieldError } from './FieldError.tsx'
import { LeafField } from './LeafField.tsx'
import { useForm } from './form-context.ts'
import type { ShownField } from './form-context.ts'
import { isObject, pointerOf } from './json.ts'
import { propertiesOf, requiredOf, shapeOf } from './schema.ts'
import { choose } from './state.ts'
import classes from './forms.module.css'

/** Fields that belong together, in the order they ask for; with a choice in front where there are several ways. */
export function GroupField(shown: ShownField) {
  const { schema, alternatives, place, label, description, error } = shown
  const { hints, draw } = useForm()
  const required = requiredOf(schema)
  const orderOf = (name: string): number => hints.get(pointerOf([...place.pattern, name]))?.order ?? Infinity
  // Sorting is stable: fields that do not ask for a place keep the order of the schema.
  const fields = propertiesOf(schema)
    .filter(([, inner]) => !(alternatives && inner.const !== undefined))
    .toSorted(([a], [b]) => (orderOf(a) === orderOf(b) ? 0 : orderOf(a) - orderOf(b)))
  const content = (
    <Stack gap="md">
      {alternatives && <AlternativesSelect {...shown} />}
      {alternatives && shapeOf(schema) !== 'object' && <LeafField {...shown} label="Value" description={undefined} />}
      {fields.map(([name, inner]) => (
        <Fragment key={name}>
          {draw({
            schema: inner,
            required: required.includes(name),
            place: { path: [...place.path, name], pattern: [...place.pattern, name] },
          })}
        </Fragment>
      ))}
      {isObject(schema.additionalProperties) && (
        <EntriesField
          {...shown}
          entry={schema.additionalProperties}
          named={propertiesOf(schema).map(([name]) => name)}
        />
      )}
      {error !== undefined && <FieldError>{error}</FieldError>}
    </Stack>
  )
  if (place.path.length === 0) return content
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>{label}</legend>
      {description !== undefined && <p className={classes.help}>{description}</p>}
      {content}
    </fieldset>
  )
}

function AlternativesSelect({ alternatives, place, label }: ShownField) {
  const { update, readOnly } = useForm()
  if (alternatives === undefined) return null
  const { titles, selected } = alternatives
  return (
    <Select
      label={place.path.length === 0 ? 'Variant' : `Kind of ${label.toLowerCase()}`}
      data={titles.map((title, index) => ({ value: String(index), label: title }))}
      value={String(selected)}
      allowDeselect={false}
      disabled={readOnly}
      onChange={(next) => update((before) => choose(before, place.path, alternatives, Number(next)), place.path)}
    />
  )
}
