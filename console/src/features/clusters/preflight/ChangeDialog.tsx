import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import type { ApiClient } from '../../../lib/api/client.ts'
import type { ClusterPatch, ClusterView } from '../../../lib/api/contract.ts'
import { api } from '../paths.ts'
import { useWrite } from '../use-write.ts'
import { PreflightView } from './PreflightView.tsx'
import { below, refusedFields } from './problems.ts'
import type { FieldProblems } from './problems.ts'
import { usePreflight } from './use-preflight.ts'

/** The change is saved once, and only on the generation that was seen. */
export interface Guard {
  readonly idempotencyKey: string
  readonly ifMatch: string
}

interface ChangeDialogProps {
  readonly cluster: ClusterView
  readonly title: string
  readonly verb: string
  /** What is checked and saved; undefined: not complete yet. */
  readonly change: ClusterPatch | undefined
  /** @default a patch of the cluster with `change` */
  readonly save?: (client: ApiClient, guard: Guard) => Promise<unknown>
  /** The part of the change that the form edits, such as `node_pools/0`; its problems are passed to `children`. */
  readonly place?: string
  readonly isDangerous?: boolean
  readonly onClose: () => void
  readonly children: (problems: FieldProblems) => ReactNode
}

/** A change of a cluster: what it would do is shown before the button that saves it. */
export function ChangeDialog(props: ChangeDialogProps) {
  const { title, verb, change, save, place, isDangerous = false, onClose, children } = props
  // Saving is refused if somebody else changed the cluster since the dialog was opened.
  const [cluster] = useState(props.cluster)
  const path = api.cluster(cluster)
  const preflight = usePreflight(path, change)
  const write = useWrite<unknown, ClusterPatch>((client, body, idempotencyKey) => {
    const guard: Guard = { idempotencyKey, ifMatch: `"${cluster.generation}"` }
    return save ? save(client, guard) : client.patch(path, body, guard)
  }, onClose)
  const checked = place === undefined ? preflight.problems : below(preflight.problems, place)
  return (
    <Modal opened size="xl" onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (change !== undefined && !preflight.isRefused) write.mutate(change)
        }}
      >
        <Stack gap="md">
          {children(new Map([...checked, ...refusedFields(write.error)]))}
          <PreflightView preflight={preflight} waiting="Complete the form to check the change" />
          {write.error !== null && <ProblemView compact error={write.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={write.isPending}
              disabled={change === undefined || preflight.isRefused}
              {...(isDangerous && { color: 'red' })}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
