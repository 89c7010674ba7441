import { Checkbox, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from './form-context.ts'
import type { ShownField } from './form-context.ts'
import { at, isEqual, isList, pointerOf } from './json.ts'
import type { Json } from './json.ts'
import { listOf, shapeOf } from './schema.ts'

/** A text, a number, a yes or no, or one of several. */
export function LeafField(shown: ShownField) {
  const shape = shapeOf(shown.schema)
  if (shape === 'choice') return <ChoiceField {...shown} />
  if (shape === 'boolean') return <BooleanField {...shown} />
  return shape === 'integer' || shape === 'number' ? <NumberField {...shown} /> : <TextField {...shown} />
}

/** What every control is given. */
function useControl({ place, label, isQuiet, description, error }: ShownField) {
  const { state, set, touch, readOnly } = useForm()
  return {
    value: at(state.values, place.path),
    set: (value: Json | undefined) => set(place.path, value),
    props: {
      ...(isQuiet ? { 'aria-label': label } : { label, description }),
      error,
      disabled: readOnly,
      onBlur: () => touch(place.path),
      'data-field': pointerOf(place.path),
    },
  }
}

/** Where the template gives a text, an empty one is a wish of its own; elsewhere it means that nothing was said. */
function TextField(shown: ShownField) {
  const { value, set, props } = useControl(shown)
  const { defaults, hints } = useForm()
  const { schema, place, required, unit } = shown
  const isWanted = required || typeof at(defaults, place.path) === 'string' || typeof place.path.at(-1) === 'number'
  const change = (text: string): void => set(text === '' && !isWanted ? undefined : text)
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
  const [example] = listOf(schema.examples)
  const common = {
    ...props,
    required,
    value: text,
    ...(typeof example === 'string' && { placeholder: example }),
  }
  if (hints.get(pointerOf(place.pattern))?.widget === 'textarea') {
    return (
      <Textarea {...common} autosize minRows={2} maxRows={12} onChange={(event) => change(event.currentTarget.value)} />
    )
  }
  return (
    <TextInput
      {...common}
      {...(unit !== undefined && { rightSection: unit, rightSectionWidth: unitWidth(unit) })}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

const unitWidth = (unit: string): number => 28 + unit.length * 7

function NumberField(shown: ShownField) {
  const { value, set, props } = useControl(shown)
  const { schema, unit, required } = shown
  const isWhole = shapeOf(schema) === 'integer'
  const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : 1
  return (
    <NumberInput
      {...props}
      required={required}
      value={typeof value === 'number' ? value : ''}
      allowDecimal={!isWhole}
      step={step}
      clampBehavior="none"
      {...(typeof schema.minimum === 'number' && { min: schema.minimum })}
      {...(typeof schema.maximum === 'number' && { max: schema.maximum })}
      {...(unit !== undefined && { suffix: ` ${unit}` })}
      onChange={(next) => set(typeof next === 'number' ? next : undefined)}
    />
  )
}

function BooleanField(shown: ShownField) {
  const { value, set, props } = useControl(shown)
  // No mark when it is required: "no" is an answer, and the mark would say that it has to be on.
  return <Switch {...props} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />
}

function ChoiceField(shown: ShownField) {
  const { value, set, props } = useControl(shown)
  const { schema, required, unit } = shown
  const choices = isList(schema.enum) ? schema.enum : [schema.const ?? null]
  const titles = listOf(schema['x-titles'])
  const chosen = choices.findIndex((choice) => isEqual(choice, value))
  return (
    <Select
      {...props}
      required={required}
      data={choices.map((choice, index) => ({
        value: String(index),
        label: `${choiceText(titles[index] || choice)}${unit === undefined ? '' : ` ${unit}`}`,
      }))}
      value={chosen < 0 ? null : String(chosen)}
      placeholder="Choose one"
      searchable={choices.length > 8}
      clearable={!required}
      allowDeselect={!required}
      onChange={(next) => set(next === null ? undefined : choices[Number(next)])}
    />
  )
}

export const choiceText = (choice: Json): string =>
  typeof choice === 'string' ? choice || '(empty)' : choice === null ? 'none' : JSON.stringify(choice)

/** Several of a few. */
export function ChoicesField(
  shown: ShownField & { readonly choices: readonly Json[]; readonly titles: readonly Json[] },
) {
  const { value, set, props } = useControl(shown)
  const { choices, titles, label, description, error, required } = shown
  const picked = isList(value) ? value : []
  return (
    <Checkbox.Group
      label={label}
      description={description}
      error={error}
      withAsterisk={required}
      value={choices.flatMap((choice, index) => (picked.some((one) => isEqual(one, choice)) ? [String(index)] : []))}
      onChange={(indexes) => set(choices.filter((_, index) => indexes.includes(String(index))))}
    >
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 16, marginTop: 6 }}>
        {choices.map((choice, index) => (
          <Checkbox
            key={choiceText(choice)}
            value={String(index)}
            label={choiceText(titles[index] || choice)}
            disabled={props.disabled}
          />
        ))}
      </div>
    </Checkbox.Group>
  )
}
