import { Anchor, Drawer, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { useDecision } from '../../lib/api/queries.ts'
import { DecisionExplained } from './DecisionExplained.tsx'
import { Loaded } from '../feedback/Loaded.tsx'

interface ExplainDrawerProps {
  /** Undefined: closed. */
  readonly decisionId: string | undefined
  readonly onClose: () => void
}

/** Why something was done: one recorded decision with the input it was made from. */
export function ExplainDrawer({ decisionId, onClose }: ExplainDrawerProps) {
  return (
    <Drawer
      opened={decisionId !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title="Why this was decided"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {decisionId !== undefined && <Decision id={decisionId} />}
    </Drawer>
  )
}

function Decision({ id }: { readonly id: string }) {
  const query = useDecision(id)
  return (
    <Loaded query={query}>
      {(decision) => (
        <Stack gap="md">
          <DecisionExplained decision={decision} />
          <Anchor component={Link} href={`/operations/decisions/${encodeURIComponent(id)}`} size="sm">
            Open as a page
          </Anchor>
        </Stack>
      )}
    </Loaded>
  )
}
