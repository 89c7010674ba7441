import { Alert } from '@mantine/core'
import { IconFlask } from '@tabler/icons-react'
import { useLandscape } from './use-landscape.ts'

/** Says that no real clusters are created. Nothing with a real Gardener. */
export function SimulatedNotice() {
  const landscape = useLandscape('')
  if (landscape.data?.mode !== 'mock') return null
  return (
    <Alert variant="default" py="xs" icon={<IconFlask size={18} aria-hidden />}>
      <b>Gardener is simulated.</b> No real clusters are created. Operators set <code>GARDENER_MODE=real</code> to
      connect a real one.
    </Alert>
  )
}
