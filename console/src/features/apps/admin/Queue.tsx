import { Select } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { Empty } from '../../../components/feedback/Empty.tsx'
import { ProblemView } from '../../../components/feedback/ProblemView.tsx'
import { ageColumn, menuColumn } from '../../../components/list/list-columns.tsx'
import { ResourceList } from '../../../components/list/ResourceList.tsx'
import type { ListColumn } from '../../../components/list/ResourceTable.tsx'
import { StatusLabel } from '../../../components/feedback/StatusLabel.tsx'
import { useAddress } from '../../../lib/address.ts'
import type { ReconcileJobView } from '../../../lib/api/contract.ts'
import { useNow } from '../../../lib/now.ts'
import { api, pages, TOPIC } from '../paths.ts'
import { useWrite } from '../use-write.ts'
import { FailJob } from './FailJob.tsx'
import { FreezeUser } from './FreezeUser.tsx'
import { isOpen, JOB_STATES, nextTryText, spokenJob } from './job.ts'

const STATES = JOB_STATES.map((value) => ({ value, label: spokenJob({ status: value, frozen: false }).word }))

type Dialog = { readonly kind: 'fail' | 'freeze'; readonly job: ReconcileJobView }

/** What waits to be reconciled, what runs and what was given up, with the means to step in. */
export function Queue() {
  const [, go] = useLocation()
  const [params, setParam] = useAddress()
  const status = STATES.find(({ value }) => value === params.get('status'))
  const [dialog, setDialog] = useState<Dialog>()
  const close = (): void => setDialog(undefined)
  const requeue = useWrite<ReconcileJobView, string>((client, id) => client.post(`${api.job(id)}:requeue`))
  const { mutate: requeueJob } = requeue
  const columns = useMemo(() => jobColumns(requeueJob, setDialog), [requeueJob])
  return (
    <>
      {requeue.error !== null && <ProblemView compact error={requeue.error} />}
      <ResourceList<ReconcileJobView>
        noun="jobs"
        topic={TOPIC}
        path="/reconcile-jobs"
        wanted={{ status: status?.value }}
        columns={columns}
        rowKey={(row) => row.id}
        onOpen={(row) => go(pages.deployment({ id: row.deployment_id, user_id: row.user_id }))}
        actions={
          <Select
            aria-label="State"
            placeholder="Every state"
            clearable
            w={150}
            data={[...STATES]}
            value={status?.value ?? null}
            onChange={(value) => setParam('status', value ?? '')}
          />
        }
        empty={
          status === undefined ? (
            <Empty icon={<IconChecklist size={22} aria-hidden />} title="The queue is empty">
              Every app was looked at, and nothing waits.
            </Empty>
          ) : (
            <Empty icon={<IconChecklist size={22} aria-hidden />} title={`No job is ${status.label.toLowerCase()}`} />
          )
        }
      />
      {dialog?.kind === 'fail' && <FailJob job={dialog.job} onClose={close} />}
      {dialog?.kind === 'freeze' && (
        <FreezeUser user={{ id: dialog.job.user_id, email: dialog.job.user_email }} onClose={close} />
      )}
    </>
  )
}

function NextTry({ job }: { readonly job: ReconcileJobView }) {
  return nextTryText(job, useNow())
}

const jobColumns = (
  requeue: (id: string) => void,
  open: (dialog: Dialog) => void,
): readonly ListColumn<ReconcileJobView>[] => [
  { id: 'deployment', label: 'App', value: (row) => row.deployment_uid, mono: true },
  { id: 'tenant', label: 'Tenant', value: (row) => row.user_email, width: 190 },
  { id: 'reason', label: 'Reason', value: (row) => row.reason, width: 80 },
  {
    id: 'status',
    label: 'State',
    value: (row) => spokenJob(row).word,
    render: (row) => {
      const { tone, word } = spokenJob(row)
      return (
        <StatusLabel tone={tone} {...(row.locked_by !== null && { why: `by ${row.locked_by}` })}>
          {word}
        </StatusLabel>
      )
    },
    width: 105,
  },
  ageColumn((row) => row.created_at),
  {
    id: 'next',
    label: 'Next try',
    value: (row) => (isOpen(row) ? Date.parse(row.run_after) : null),
    render: (row) => <NextTry job={row} />,
    width: 105,
  },
  { id: 'attempts', label: 'Tries', value: (row) => row.attempt, width: 70 },
  {
    id: 'failure',
    label: 'Failure',
    value: (row) => (row.last_error === null ? null : `${row.last_error.code}: ${row.last_error.message}`),
    render: (row) =>
      row.last_error === null ? (
        '—'
      ) : (
        <StatusLabel tone="bad" why={`${row.last_error.message}. ${row.last_error.next_step}`}>
          {row.last_error.code}
        </StatusLabel>
      ),
    width: 170,
  },
  menuColumn((row) => ({
    name: row.deployment_uid,
    actions: [
      ...(row.status === 'done' ? [] : [{ label: 'Requeue', onClick: () => requeue(row.id) }]),
      ...(isOpen(row)
        ? [{ label: 'Give up', isDangerous: true, onClick: () => open({ kind: 'fail', job: row }) }]
        : []),
      ...(row.frozen ? [] : [{ label: 'Freeze the tenant', onClick: () => open({ kind: 'freeze', job: row }) }]),
    ],
  })),
]
