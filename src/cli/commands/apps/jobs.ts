import { Option, type Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList } from '../../output.ts'
import { DEPLOYMENT, deploymentNamed } from './nouns.ts'
import { outputOption, type OutputOption } from '../options.ts'

const REASONS = ['create', 'update', 'delete', 'drift', 'retry'] as const
const STATUSES = ['queued', 'running', 'done', 'failed'] as const

interface Job {
  readonly id: string
  readonly deployment_uid: string
  readonly user_email: string
  readonly reason: string
  readonly status: string
  readonly attempt: number
  readonly run_after: string
  readonly locked_by: string | null
  readonly frozen: boolean
  readonly last_error: { readonly code: string } | null
}

interface ListOptions extends OutputOption {
  readonly status?: string
  readonly deployment?: string
}

const pathOf = (id: string): string => `/reconcile-jobs/${encodeURIComponent(id)}`

export function jobCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('enqueue-reconcile')
    .description('reconcile a deployment now, or as soon as the present run ends')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(new Option('--reason <reason>', 'why').choices(REASONS).default('retry'))
    .addOption(outputOption())
    .action(async (named: string, { reason, output }: OutputOption & { reason: string }) => {
      const client = restClient(await remote())
      const { id } = await deploymentNamed(client, named)
      terminal.out(formatFacts(output, await client.post<Job>(`/deployments/${id}:reconcile`, { reason })))
    })

  program
    .command('list-reconcile-jobs')
    .description('list the jobs of the queue, newest first')
    .addOption(new Option('--status <status>', 'only with this status').choices(STATUSES))
    .option('--deployment <deployment>', 'only of this one, by name, domain or id')
    .addOption(outputOption())
    .action(async ({ status, deployment, output }: ListOptions) => {
      const columns = [
        { head: 'id', cell: (job: Job) => job.id },
        { head: 'deployment', cell: (job: Job) => job.deployment_uid },
        { head: 'user', cell: (job: Job) => job.user_email },
        { head: 'reason', cell: (job: Job) => job.reason },
        { head: 'status', cell: (job: Job) => (job.frozen ? `${job.status}, frozen` : job.status) },
        { head: 'attempt', cell: (job: Job) => job.attempt },
        { head: 'run after', cell: (job: Job) => job.run_after },
        { head: 'worker', cell: (job: Job) => job.locked_by },
        { head: 'failure', cell: (job: Job) => job.last_error?.code },
      ]
      const client = restClient(await remote())
      const of = deployment === undefined ? undefined : await deploymentNamed(client, deployment)
      const jobs = await allPages<Job>(client, '/reconcile-jobs', { status, deployment_id: of?.id })
      terminal.out(formatList(output, jobs, columns))
    })

  program
    .command('requeue-job')
    .description('run a job now, and reset its attempts')
    .argument('<id>', 'as list-reconcile-jobs shows it')
    .addOption(outputOption())
    .action(async (id: string, { output }: OutputOption) =>
      terminal.out(formatFacts(output, await restClient(await remote()).post<Job>(`${pathOf(id)}:requeue`))),
    )

  program
    .command('fail-job')
    .description('fail a job by hand; a worker that runs it loses its lease')
    .argument('<id>', 'as list-reconcile-jobs shows it')
    .requiredOption('--error <text>', 'error message to record')
    .addOption(outputOption())
    .action(async (id: string, { error, output }: OutputOption & { error: string }) =>
      terminal.out(formatFacts(output, await restClient(await remote()).post<Job>(`${pathOf(id)}:fail`, { error }))),
    )
}
