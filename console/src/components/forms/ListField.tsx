import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useRef } from 'react'
import { FieldError } from './FieldError.tsx'
import { focusMove, ItemTools } from './ItemTools.tsx'
import { ChoicesField } from './LeafField.tsx'
import { useForm } from './form-context.ts'
import type { ShownField } from './form-context.ts'
import { at, isList, isObject, pointerOf } from './json.ts'
import { effective, listOf, shapeOf } from './schema.ts'
import { addItem, removeItem, swapItems } from './state.ts'
import classes from './forms.module.css'

/** Items one beneath the other. Simple ones are lines, objects are boxes, and few fixed choices are ticked. */
export function ListField(shown: ShownField) {
  const { schema, place, label, description, required, error } = shown
  const { state, update, draw, readOnly } = useForm()
  const element = useRef<HTMLFieldSetElement>(null)
  const { items: described } = schema
  const choice = isObject(described) && schema.uniqueItems === true ? effective(described, undefined).schema : {}
  if (isList(choice.enum)) {
    return <ChoicesField {...shown} choices={choice.enum} titles={listOf(choice['x-titles'])} />
  }
  const value = at(state.values, place.path)
  const items = isList(value) ? value : []
  const tuple = isList(described) ? described : undefined
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : Infinity
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  const one = singular(label)
  const move = (index: number, by: -1 | 1): void => {
    update((before) => swapItems(before, place.path, index, index + by), place.path)
    focusMove(element, index + by, by)
  }
  return (
    <fieldset ref={element} className={classes.list} data-field={pointerOf(place.path)}>
      <legend className={classes.label}>
        {label}
        {required && (
          <span className={classes.asterisk} aria-hidden>
            {' '}
            *
          </span>
        )}
      </legend>
      {description !== undefined && <p className={classes.help}>{description}</p>}
      <Stack gap="xs">
        {(tuple ?? items).map((item, index) => {
          const inner = tuple ? item : described
          if (!isObject(inner)) return null
          const isBox = shapeOf(effective(inner, items[index]).schema) === 'object'
          return (
            // Items have no identity but their place; the fields inside hold no state of their own.
            <div key={index} className={classes.item} data-box={isBox || undefined}>
              <div className={classes.itemField}>
                {draw({
                  schema: inner,
                  required: true,
                  title: `${one} ${index + 1}`,
                  isQuiet: !isBox,
                  place: { path: [...place.path, index], pattern: [...place.pattern, tuple ? index : '*'] },
                })}
              </div>
              {!tuple && !readOnly && (
                <ItemTools
                  name={`${one.toLowerCase()} ${index + 1}`}
                  index={index}
                  count={items.length}
                  onMove={(by) => move(index, by)}
                  {...(items.length > least && {
                    onRemove: () => update((before) => removeItem(before, place.path, index), place.path),
                  })}
                />
              )}
            </div>
          )
        })}
      </Stack>
      {!tuple && !readOnly && isObject(described) && (
        <Group gap="sm" mt={items.length > 0 ? 'xs' : 4}>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            disabled={items.length >= most}
            onClick={() => update((before) => addItem(before, place.path, described), place.path)}
          >
            Add {one.toLowerCase()}
          </Button>
          {most !== Infinity && (
            <Text size="xs" c="dimmed" className="tabular">
              {items.length} of {most}
            </Text>
          )}
        </Group>
      )}
      {error !== undefined && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}

/** `Environment entries` → `Environment entry`; good enough for a button. */
export function singular(label: string): string {
  if (label.endsWith('ies')) return `${label.slice(0, -3)}y`
  if (/(ss|us|is)$/.test(label) || !label.endsWith('s')) return label === '' ? 'Item' : label
  return label.replace(/(?<=[sx]|ch|sh)es$|s$/, '')
}
