import { Code, Text } from '@mantine/core'
import { Age } from '../../components/feedback/Age.tsx'
import { Column, Columns } from '../../components/page/Columns.tsx'
import { Explanation } from '../../components/insight/Explanation.tsx'
import { Facts } from '../../components/detail/Facts.tsx'
import { Panel } from '../../components/detail/Panel.tsx'
import { ProgressSteps } from '../../components/feedback/ProgressSteps.tsx'
import { StatusLabel } from '../../components/feedback/StatusLabel.tsx'
import type { ExplanationView, RuntimeView } from '../../lib/api/contract.ts'
import { useResource } from '../../lib/api/queries.ts'
import { Children } from './Children.tsx'
import { deletionSteps } from './deletion.ts'
import { Functions } from './Functions.tsx'
import { api, TOPIC } from './paths.ts'
import { conditionTone, modeText } from './status.ts'

/** How it is at this moment, why, and what it is made of. */
export function RuntimeNow({ runtime }: { readonly runtime: RuntimeView }) {
  const explanation = useResource<ExplanationView>(TOPIC, `${api.runtime(runtime)}/explain`)
  const steps = deletionSteps(runtime, explanation.data?.blockers ?? [])
  return (
    <Columns>
      <Column>
        {steps && (
          <Panel title="Deletion">
            <ProgressSteps label="Deletion" steps={steps} />
          </Panel>
        )}
        <Explanation query={explanation} />
        <Functions functions={runtime.functions} />
        <Children runtime={runtime} />
      </Column>
      <Column>
        <RuntimeFacts runtime={runtime} />
        <Conditions conditions={runtime.conditions} />
      </Column>
    </Columns>
  )
}

function RuntimeFacts({ runtime }: { readonly runtime: RuntimeView }) {
  const { generation, observed_generation: seen, routers, mode } = runtime
  return (
    <Panel title="Facts">
      <Facts
        facts={[
          ['Namespace', <Code key="namespace">{runtime.namespace}</Code>],
          ['Class', runtime.package_class_key ?? 'none'],
          ['Template', runtime.template ?? 'none is chosen yet'],
          ['Functions', `${runtime.functions_ready} of ${runtime.functions_total} ready`],
          ['Mode', `${mode}: ${modeText(mode)}`],
          [
            'Change',
            seen === generation ? `${generation}, acted upon` : `${generation}; acted upon is ${seen ?? 'none'}`,
          ],
          [
            'Routers',
            routers.length === 0 ? 'none' : routers.map(({ service, port }) => `${service}:${port}`).join(', '),
          ],
          [
            'Made',
            <span key="made">
              <Age since={runtime.created_at} /> ago
            </span>,
          ],
        ]}
      />
    </Panel>
  )
}

function Conditions({ conditions }: Pick<RuntimeView, 'conditions'>) {
  return (
    <Panel title="Conditions">
      {conditions.length === 0 ? (
        <Text size="sm" c="dimmed">
          No controller has looked at it yet.
        </Text>
      ) : (
        <Facts
          facts={conditions.map(({ type, status, reason, message, since }) => [
            type,
            <div key={type}>
              <StatusLabel tone={conditionTone(type, status)} {...(since !== null && { since })}>
                {status}, {reason}
              </StatusLabel>
              {message !== '' && (
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {message}
                </Text>
              )}
            </div>,
          ])}
        />
      )}
    </Panel>
  )
}
