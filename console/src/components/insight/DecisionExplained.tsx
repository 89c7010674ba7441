import { Stack, Text } from '@mantine/core'
import type { DecisionDetail } from '../../lib/api/contract.ts'
import { spokenOutcome } from '../../lib/tone.ts'
import { Age } from '../feedback/Age.tsx'
import { Facts } from '../detail/Facts.tsx'
import { JsonView } from '../detail/JsonView.tsx'
import { StatusLabel } from '../feedback/StatusLabel.tsx'

/** One recorded decision in full: what it was, why, how it ended, and the input it was made from. */
export function DecisionExplained({ decision }: { readonly decision: DecisionDetail }) {
  const failed = spokenOutcome(decision.outcome).tone === 'bad'
  return (
    <Stack gap="md">
      <Text size="sm">
        <b>{decision.decision}</b>
        {decision.because !== '' &&
          (failed ? <>, and it ended with: {decision.because}</> : <> because {decision.because}</>)}
      </Text>
      <Facts
        facts={[
          ['Object', <code key="object">{`${decision.kind}/${decision.object_id}`}</code>],
          ['Controller', decision.controller],
          ['Outcome', <OutcomeLabel key="outcome" outcome={decision.outcome} />],
          ['Took', `${decision.ms} ms, ${decision.attempt === 0 ? 'first try' : `after ${decision.attempt} failed`}`],
          [
            'Decided',
            <span key="age">
              <Age since={decision.at} /> ago
            </span>,
          ],
        ]}
      />
      <JsonView label="Input" value={decision.input} />
      <JsonView label="Decision" value={decision.output} />
    </Stack>
  )
}

export function OutcomeLabel({ outcome }: { readonly outcome: string }) {
  const { tone, word } = spokenOutcome(outcome)
  return <StatusLabel tone={tone}>{word}</StatusLabel>
}
