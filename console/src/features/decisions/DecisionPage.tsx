import { Stack } from '@mantine/core'
import { useParams } from 'wouter'
import { DecisionExplained, OutcomeLabel } from '../../components/insight/DecisionExplained.tsx'
import { DetailPage } from '../../components/detail/DetailPage.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import type { DecisionDetail } from '../../lib/api/contract.ts'
import { useDecision } from '../../lib/api/queries.ts'
import { Replay } from './Replay.tsx'

const outcomeOf = ({ outcome }: DecisionDetail) => <OutcomeLabel outcome={outcome} />

export function DecisionPage() {
  const { id } = useParams<{ id: string }>()
  return (
    <DetailPage
      list={{ label: 'Decisions', href: '/operations/decisions' }}
      kind="decision"
      name={id}
      query={useDecision(id)}
      renderStatus={outcomeOf}
    >
      {(decision) => (
        <Stack gap="lg">
          <Panel>
            <DecisionExplained decision={decision} />
          </Panel>
          <Replay id={decision.id} />
        </Stack>
      )}
    </DetailPage>
  )
}
