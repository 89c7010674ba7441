import { Option, type Command } from 'commander'
import { allPages, restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatFacts, formatList, formatValue } from '../../output.ts'
import { previewText, type Preview } from '../insight.ts'
import { outputOption, wholeNumber, type OutputOption } from '../options.ts'
import { pathOf, withWaiting, type WaitOptions } from './deployments.ts'
import { DEPLOYMENT, deploymentNamed } from './nouns.ts'
import { converged, type Deployment } from './wait.ts'

interface Revision {
  readonly generation: number
  readonly created_at: string
  readonly changed_by: string
  readonly template: { readonly chart_version: string; readonly version_label: string | null }
  readonly changed: readonly string[] | null
  readonly rolled_back_to: number | null
  readonly outcome: string
  readonly failure_code: string | null
  readonly helm_revision: number | null
}

interface RollbackOptions extends OutputOption, WaitOptions {
  readonly toGeneration: number
  readonly withDomain?: boolean
  readonly dryRun?: boolean
}

const COLUMNS = [
  { head: 'generation', cell: (one: Revision) => one.generation },
  { head: 'at', cell: (one: Revision) => one.created_at },
  { head: 'who', cell: (one: Revision) => one.changed_by },
  { head: 'chart', cell: (one: Revision) => one.template.version_label ?? one.template.chart_version },
  { head: 'changed', cell: changedText },
  { head: 'outcome', cell: (one: Revision) => one.outcome },
  { head: 'failure', cell: (one: Revision) => one.failure_code },
  { head: 'helm', cell: (one: Revision) => one.helm_revision },
]

function changedText({ changed, rolled_back_to: to }: Revision): string {
  const fields = (changed ?? []).join(', ')
  return to === null ? fields : `back to ${to}: ${fields}`
}

export function revisionCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('list-revisions')
    .description('list what a deployment was in its last generations, newest first')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) => {
      const client = restClient(await remote())
      const path = `${pathOf(await deploymentNamed(client, named))}/revisions`
      terminal.out(formatList(output, await allPages<Revision>(client, path, {}), COLUMNS))
    })

  const rollback = program
    .command('rollback-deployment')
    .description('have the template and settings of an earlier generation again, as a new one')
    .argument('<deployment>', DEPLOYMENT.named)
    .addOption(
      new Option('--to-generation <number>', 'which, as list-revisions shows it')
        .argParser(wholeNumber)
        .makeOptionMandatory(),
    )
    .option('--with-domain', 'also the domain that it had; without it, the present domain stays')
    .option('--dry-run', 'show the field changes that it would make; nothing is saved')
  withWaiting(rollback, 'is ready')
    .addOption(outputOption())
    .action(async (named: string, options: RollbackOptions) => {
      const { toGeneration: generation, withDomain: with_domain = false, dryRun = false, output } = options
      const client = restClient(await remote())
      const present = await deploymentNamed(client, named)
      const to = { generation, with_domain }
      if (dryRun) {
        const preview = await client.post<Preview>(`${pathOf(present)}:preview-rollback`, to)
        terminal.out(output === 'table' ? previewText(preview) : formatValue(output, preview))
        return
      }
      const changed = await client.post<Deployment>(`${pathOf(present)}:rollback`, to, present.generation)
      const last = options.wait === true ? await converged(client, changed, options.timeout, terminal) : changed
      terminal.out(formatFacts(output, last))
    })
}
