import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Field } from './Field.tsx'
import { FormContext } from './form-context.ts'
import type { FieldProps } from './form-context.ts'
import type { SchemaForm as Form } from './use-schema-form.ts'

/** Draws a form from its schema. What is filled in, and what is wrong with it, is in `useSchemaForm`. */
export function SchemaForm({ form, enabled }: { readonly form: Form; readonly enabled: boolean }) {
  if (!enabled) {
    return (
      <Text size="sm" c="dimmed">
        This product takes no settings.
      </Text>
    )
  }
  return (
    <FormContext value={{ ...form, draw }}>
      <Field schema={form.schema} place={{ path: [], pattern: [] }} required={false} />
    </FormContext>
  )
}

const draw = (field: FieldProps): ReactNode => <Field {...field} />
