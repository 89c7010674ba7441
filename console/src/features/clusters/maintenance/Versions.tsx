import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { Panel } from '../../../components/detail/Panel.tsx'
import { Loaded } from '../../../components/feedback/Loaded.tsx'
import type { ClusterVersionsView } from '../../../lib/api/contract.ts'
import { useResource } from '../../../lib/api/queries.ts'
import { sentence } from '../../../lib/sentence.ts'
import { newestFirst, versionText } from '../order/draft.ts'
import { api, TOPIC } from '../paths.ts'
import { ChangeDialog } from '../preflight/ChangeDialog.tsx'
import type { MaintenanceProps } from './Maintenance.tsx'
import { OrderedVersion } from './OrderedVersion.tsx'
import classes from './Versions.module.css'

type Upgrade = ClusterVersionsView['upgrades'][number]

/** The version, and what it may become. */
export const Versions = (props: MaintenanceProps) =>
  props.cluster.shoot === null ? <OrderedVersion {...props} /> : <Upgrades {...props} />

/** The upgrades that Gardener would accept, with what they change. */
function Upgrades({ cluster, mayWrite }: MaintenanceProps) {
  const query = useResource<ClusterVersionsView>(TOPIC, `${api.cluster(cluster)}/versions`)
  const [chosen, setChosen] = useState<Upgrade>()
  return (
    <Panel title="Kubernetes version">
      <Loaded query={query}>
        {({ current, upgrades }) => (
          <>
            <Text size="sm">
              The cluster has version <b>{current}</b>. {upgrades.length === 0 && 'Gardener offers no upgrade from it.'}
            </Text>
            <ul className={classes.upgrades} aria-label="Upgrades">
              {newestFirst(upgrades).map((upgrade) => (
                <li key={upgrade.version} className={classes.upgrade}>
                  <span>
                    <b>{versionText(upgrade)}</b>, {upgrade.kind} upgrade
                  </span>
                  {mayWrite && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Upgrade to ${upgrade.version}`}
                      onClick={() => setChosen(upgrade)}
                    >
                      Upgrade
                    </Button>
                  )}
                  <Changes changes={upgrade.changes} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {chosen && (
        <ChangeDialog
          cluster={cluster}
          title={`Upgrade ${cluster.name} to ${chosen.version}`}
          verb="Upgrade"
          change={{ kubernetes_version: chosen.version }}
          onClose={() => setChosen(undefined)}
        >
          {() => <Changes changes={chosen.changes} />}
        </ChangeDialog>
      )}
    </Panel>
  )
}

const Changes = ({ changes }: Pick<Upgrade, 'changes'>) =>
  changes.length > 0 && (
    <ul className={classes.changes}>
      {changes.map((change) => (
        <li key={change}>{sentence(change)}</li>
      ))}
    </ul>
  )
