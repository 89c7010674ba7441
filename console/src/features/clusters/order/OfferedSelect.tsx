import { Select, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

interface Offered {
  readonly value: string
  readonly label: string
  readonly disabled?: boolean
}

interface OfferedSelectProps {
  readonly label: string
  readonly description?: string
  readonly required?: boolean
  readonly searchable?: boolean
  /** Undefined: not known. */
  readonly offered: readonly Offered[] | undefined
  /** Empty: nothing was chosen yet. */
  readonly value: string
  readonly error: ReactNode
  readonly onChange: (value: string) => void
}

/** A choice among what Gardener offers; free text while that is not known. */
export function OfferedSelect({ offered, searchable = false, value, onChange, ...field }: OfferedSelectProps) {
  if (offered === undefined) {
    return (
      <TextInput
        {...field}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <Select
      {...field}
      placeholder="Choose one"
      searchable={searchable}
      allowDeselect={false}
      data={withCurrent(offered, value)}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  )
}

/** A select shows nothing for a value that is not in its data. */
const withCurrent = (offered: readonly Offered[], value: string): Offered[] => [
  ...offered,
  ...(value === '' || offered.some((one) => one.value === value) ? [] : [{ value, label: `${value}, not offered` }]),
]
