import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useForm } from './form-context.ts'
import type { ShownField } from './form-context.ts'
import { at, isObject } from './json.ts'
import { seedOf } from './schema.ts'
import type { Schema } from './schema.ts'
import { setAt } from './state.ts'
import classes from './forms.module.css'

interface EntriesFieldProps extends ShownField {
  readonly entry: Schema
  /** Names that have a field of their own. */
  readonly named: readonly string[]
}

/** Entries whose names are the person's to choose, up to a limit. */
export function EntriesField({ schema, entry, named, place, label }: EntriesFieldProps) {
  const { state, update, draw, readOnly } = useForm()
  const [name, setName] = useState('')
  const value = at(state.values, place.path)
  const keys = Object.keys(isObject(value) ? value : {}).filter((key) => !named.includes(key))
  const most = typeof schema.maxProperties === 'number' ? schema.maxProperties - named.length : Infinity
  const isTaken = keys.includes(name) || named.includes(name)
  const canAdd = name !== '' && !isTaken && keys.length < most
  const add = (): void => {
    if (!canAdd) return
    update((before) => setAt(before, [...place.path, name], seedOf(entry) ?? ''), place.path)
    setName('')
  }
  return (
    <div>
      {keys.map((key) => (
        <div key={key} className={classes.item}>
          <div className={classes.itemField}>
            {draw({
              schema: entry,
              required: true,
              title: key,
              place: { path: [...place.path, key], pattern: [...place.pattern, '*'] },
            })}
          </div>
          {!readOnly && (
            <ActionIcon
              variant="subtle"
              color="gray"
              className={classes.remove}
              aria-label={`Remove ${key}`}
              onClick={() => update((before) => setAt(before, [...place.path, key], undefined), place.path)}
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          )}
        </div>
      ))}
      {!readOnly && (
        <Group gap="xs" mt="xs" align="flex-start">
          <TextInput
            size="xs"
            aria-label={`Name of a new entry in ${label.toLowerCase()}`}
            placeholder="Name of the entry"
            value={name}
            error={isTaken && 'is there already'}
            disabled={keys.length >= most}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            disabled={!canAdd}
            onClick={add}
          >
            Add entry
          </Button>
          {most !== Infinity && (
            <Text size="xs" c="dimmed" className="tabular" lh="30px">
              {keys.length} of {most}
            </Text>
          )}
        </Group>
      )}
    </div>
  )
}
