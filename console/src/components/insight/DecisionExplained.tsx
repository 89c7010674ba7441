import { Stack, Text } from '@mantine/core'
import type { DecisionDetail, DecisionView } from '../../lib/api/contract.ts'
import { spokenOutcome } from '../../lib/tone.ts'
import { Age } from '../feedback/Age.tsx'
import { Facts } from '../detail/Facts.tsx'
import { JsonView } from '../detail/JsonView.tsx'
import { StatusLabel } from '../feedback/StatusLabel.tsx'

/** One recorded decision in full: what it was, why, how it ended, and the input it was made from. */
export function DecisionExplained({ decision }: { readonly decision: DecisionDetail }) {
  const failed = decision.failure !== null
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
          ['Took', tookText(decision)],
          ...(decision.repeats === 0 ? [] : [['Repeated', <Repeats key="repeats" decision={decision} />] as const]),
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

const tookText = ({ ms, attempt }: DecisionDetail): string =>
  ms === null || attempt === null ? '—' : `${ms} ms, ${attempt === 0 ? 'first attempt' : `after ${attempt} failed`}`

function Repeats({ decision: { repeats, last_at: last } }: { readonly decision: DecisionDetail }) {
  return (
    <>
      {repeats === 1 ? 'once' : `${repeats} times`} from the same input, last <Age since={last} /> ago
    </>
  )
}

export function OutcomeLabel({ outcome }: { readonly outcome: DecisionView['outcome'] }) {
  if (outcome === null) return '—'
  const { tone, word } = spokenOutcome(outcome)
  return <StatusLabel tone={tone}>{word}</StatusLabel>
}
