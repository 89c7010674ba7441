import { Text } from '@mantine/core'
import { Facts } from '../../../components/detail/Facts.tsx'
import { Panel } from '../../../components/detail/Panel.tsx'
import { StatusLabel } from '../../../components/feedback/StatusLabel.tsx'
import { Explanation } from '../../../components/insight/Explanation.tsx'
import { Column, Columns } from '../../../components/page/Columns.tsx'
import type { ClusterView, ExplanationView, ShootView } from '../../../lib/api/contract.ts'
import { useResource } from '../../../lib/api/queries.ts'
import { ClusterProgress } from '../ClusterProgress.tsx'
import { api, TOPIC } from '../paths.ts'
import { conditionTone, progressOf } from '../status.ts'
import { ClusterFacts } from './ClusterFacts.tsx'
import { Failures } from './Failures.tsx'
import { ShootFacts } from './ShootFacts.tsx'
import { SyncState } from './SyncState.tsx'

interface ClusterNowProps {
  readonly cluster: ClusterView
  readonly mayOperate: boolean
}

/** How the cluster is at this moment, why, and what happens next. */
export function ClusterNow({ cluster, mayOperate }: ClusterNowProps) {
  const explanation = useResource<ExplanationView>(TOPIC, `${api.cluster(cluster)}/explain`)
  return (
    <Columns>
      <Column>
        <Failures cluster={cluster} mayOperate={mayOperate} />
        {progressOf(cluster) && (
          <Panel title={cluster.shoot?.operation?.type ?? 'Progress'}>
            <ClusterProgress cluster={cluster} />
          </Panel>
        )}
        <Explanation query={explanation} />
        <Conditions conditions={cluster.shoot?.conditions ?? []} />
        <ShootErrors errors={cluster.shoot?.errors ?? []} />
      </Column>
      <Column>
        <ClusterFacts cluster={cluster} />
        <SyncState cluster={cluster} mayOperate={mayOperate} />
        <ShootFacts cluster={cluster} mayOperate={mayOperate} />
      </Column>
    </Columns>
  )
}

function Conditions({ conditions }: Pick<ShootView, 'conditions'>) {
  return (
    <Panel title="Conditions">
      {conditions.length === 0 ? (
        <Text size="sm" c="dimmed">
          Gardener has reported no conditions yet.
        </Text>
      ) : (
        <Facts
          facts={conditions.map(({ type, status, reason, message, since }) => [
            type,
            <div key={type}>
              <StatusLabel tone={conditionTone(status)} {...(since !== null && { since })}>
                {reason === '' ? status : `${status}, ${reason}`}
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

/** In Gardener's own words and codes. */
function ShootErrors({ errors }: Pick<ShootView, 'errors'>) {
  if (errors.length === 0) return null
  return (
    <Panel title="Errors of Gardener">
      <Facts facts={errors.map(({ codes, description }) => [codes.join(', ') || 'no code', description])} />
    </Panel>
  )
}
