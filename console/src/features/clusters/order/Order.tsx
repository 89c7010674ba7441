import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { Panel } from '../../../components/detail/Panel.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { Column, Columns } from '../../../components/page/Columns.tsx'
import type { ClusterCreate, ClusterView, LandscapeView, OrganizationView } from '../../../lib/api/contract.ts'
import { api, pages } from '../paths.ts'
import { PreflightView } from '../preflight/PreflightView.tsx'
import { refusedFields } from '../preflight/problems.ts'
import type { FieldProblems } from '../preflight/problems.ts'
import { usePreflight } from '../preflight/use-preflight.ts'
import { useWrite } from '../use-write.ts'
import { emptyFields, newDraft, orderOf } from './draft.ts'
import type { ClusterDraft } from './draft.ts'
import { OrderForm } from './OrderForm.tsx'

interface OrderProps {
  /** Undefined: not chosen yet. */
  readonly organization: OrganizationView | undefined
  /** Undefined: not known. */
  readonly landscape: LandscapeView | undefined
}

interface Ordered {
  readonly organizationId: string
  readonly order: ClusterCreate
}

/** The form with its check beside it. What was typed survives a refusal and another organization. */
export function Order({ organization, landscape }: OrderProps) {
  const element = useRef<HTMLFormElement>(null)
  // Until something is edited, the order begins with what the organization may have.
  const initial = useMemo(() => newDraft(landscape), [landscape])
  const [edited, setEdited] = useState<ClusterDraft>()
  const draft = edited ?? initial
  const [isRevealed, setRevealed] = useState(false)
  const [, go] = useLocation()
  const empty = emptyFields(draft)
  const isComplete = organization !== undefined && empty.length === 0
  const path = api.clusters(organization?.id ?? '')
  const preflight = usePreflight(path, isComplete ? orderOf(draft) : undefined)
  const create = useWrite<ClusterView, Ordered>(
    (client, { organizationId, order }, idempotencyKey) =>
      client.post(api.clusters(organizationId), order, { idempotencyKey }),
    (made) => {
      notifications.show({ message: `${made.name} is ordered` })
      go(pages.cluster(made))
    },
  )
  const problems: FieldProblems = new Map([
    ...(isRevealed ? empty.map((field) => [field, { message: 'must not be empty', supported: [] }] as const) : []),
    ...preflight.problems,
    ...refusedFields(create.error),
  ])
  const focusFirstError = (): void => {
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const submit = (): void => {
    setRevealed(true)
    if (!isComplete || preflight.isRefused) return focusFirstError()
    create.mutate({ organizationId: organization.id, order: orderOf(draft) }, { onError: focusFirstError })
  }
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Columns>
        <Column>
          <OrderForm
            draft={draft}
            landscape={landscape}
            problems={problems}
            onChange={(changed) => {
              setEdited(changed)
              if (create.isError) create.reset()
            }}
          />
        </Column>
        <Column>
          <Panel title="Check">
            <PreflightView
              preflight={preflight}
              waiting={
                organization === undefined
                  ? 'Choose an organization to check the order'
                  : 'Complete the form to check the order'
              }
            />
          </Panel>
          {create.error !== null && <ProblemView compact error={create.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => go(pages.list)}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending} disabled={organization === undefined}>
              Create cluster
            </Button>
          </Group>
        </Column>
      </Columns>
    </form>
  )
}
