import { Input, PasswordInput, SegmentedControl } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useForm } from './form-context.ts'
import type { ShownField } from './form-context.ts'
import { at, pointerOf } from './json.ts'
import type { Json } from './json.ts'
import { isHeld } from './state.ts'
import classes from './forms.module.css'

type Input = 'keep' | 'replace' | 'remove'

/** What the value of a write-only field means, in the three words that a person can choose from. */
export const wishOf = (value: Json | undefined): Input =>
  value === undefined ? 'keep' : value === null ? 'remove' : 'replace'

/** A value that can be written and never read: what is stored is kept, replaced or removed, and not shown. */
export function SecretField({ schema, place, label, description, required, error }: ShownField) {
  const form = useForm()
  const value = at(form.state.values, place.path)
  const wish = wishOf(value)
  const isStored = isHeld(form.state, place.path)
  const isNumber = schema.type === 'integer' || schema.type === 'number'
  const write = (text: string): void =>
    form.set(place.path, text === '' && !isStored ? undefined : isNumber && text !== '' ? Number(text) : text)
  const input = (
    <PasswordInput
      {...(isStored
        ? { 'aria-label': `New value of ${label.toLowerCase()}` }
        : { label, description, withAsterisk: required })}
      error={error}
      autoComplete="new-password"
      leftSection={<IconLock size={15} aria-hidden />}
      disabled={form.readOnly}
      value={typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''}
      onChange={(event) => write(event.currentTarget.value)}
      onBlur={() => form.touch(place.path)}
      data-field={pointerOf(place.path)}
    />
  )
  if (!isStored) return input
  return (
    <Input.Wrapper label={label} description={description} withAsterisk={required} labelElement="div">
      <div className={classes.secret}>
        <SegmentedControl
          size="xs"
          aria-label={`Stored value of ${label.toLowerCase()}`}
          disabled={form.readOnly}
          value={wish}
          data={[
            { value: 'keep', label: 'Keep' },
            { value: 'replace', label: 'Replace' },
            ...(required ? [] : [{ value: 'remove', label: 'Remove' }]),
          ]}
          onChange={(next) => form.set(place.path, next === 'keep' ? undefined : next === 'remove' ? null : '')}
        />
        {wish === 'replace' && input}
        {wish === 'keep' && <span className={classes.help}>A value is stored. It cannot be shown.</span>}
        {wish === 'remove' && <span className={classes.help}>The stored value is removed when you save.</span>}
      </div>
    </Input.Wrapper>
  )
}
