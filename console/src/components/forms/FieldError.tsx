import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

export const FieldError = ({ children }: { readonly children: ReactNode }) => (
  <Text size="xs" c="var(--mantine-color-error)" role="alert">
    {children}
  </Text>
)
