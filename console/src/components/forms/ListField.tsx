import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { FieldError } from './FieldError.tsx'
import { ChoicesField } from './LeafField.tsx'
import { useForm } from './form-context.ts'
import type { ShownField } from './form-context.ts'
import { at, isList, isObject, pointerOf } from './json.ts'
import { effective, shapeOf } from './schema.ts'
import { addItem, removeItem } from './state.ts'
import classes from './forms.module.css'

/** Items one beneath the other. Simple ones are lines, objects are boxes, and few fixed choices are ticked. */
export function ListField(shown: ShownField) {
  const { schema, place, label, description, required, error } = shown
  const { state, update, draw, readOnly } = useForm()
  const { items: described } = schema
  if (isObject(described) && isList(described.enum) && schema.uniqueItems === true) {
    return <ChoicesField {...shown} choices={described.enum} />
  }
  const value = at(state.values, place.path)
  const items = isList(value) ? value : []
  const tuple = isList(described) ? described : undefined
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : Infinity
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  const one = singular(label)
  return (
    <fieldset className={classes.list} data-field={pointerOf(place.path)}>
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
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  className={classes.remove}
                  aria-label={`Remove ${one.toLowerCase()} ${index + 1}`}
                  disabled={items.length <= least}
                  onClick={() => update((before) => removeItem(before, place.path, index), place.path)}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
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
