import type { Command } from 'commander'
import { restClient } from '../../client.ts'
import type { CliPorts } from '../../ports.ts'
import { formatList, formatValue } from '../../output.ts'
import { readText } from '../documents.ts'
import { outputOption, type OutputOption } from '../options.ts'

interface PackageOptions extends OutputOption {
  readonly filename: string
  readonly env?: string
  readonly namespace?: string
  readonly dryRun?: boolean
}

interface Applied {
  readonly items: ReadonlyArray<{ readonly id: string; readonly deployment_key: string; readonly change: string }>
  readonly skipped: ReadonlyArray<{ readonly deployment_key: string; readonly because: string }>
}

interface Row {
  readonly deployment: string
  readonly change: string
  readonly runtime: string
}

const EXAMPLES = `
Examples:
  caelus apply-package -f examples/runtimes/shop.opackage.yaml --env cloud --dry-run
  caelus apply-package -f examples/runtimes/shop.opackage.yaml --env edge -n shop
`

export function runtimePackageCommands(program: Command, { remote, terminal }: CliPorts): void {
  program
    .command('apply-package')
    .description('create or change class runtimes from the deployments of an OPackage')
    .requiredOption('-f, --filename <path>', 'the package as YAML or JSON; - reads standard input')
    .option('--env <name>', 'only the deployments for this environment, with its templates')
    .option('-n, --namespace <name>', 'the namespace of the runtimes; without it, default')
    .option('--dry-run', 'show what would be created or changed; save nothing')
    .addOption(outputOption())
    .addHelpText('after', EXAMPLES)
    .action(async ({ filename, env, namespace, dryRun, output }: PackageOptions) => {
      const body = {
        package: await readText(filename),
        ...(env !== undefined && { environment: env }),
        ...(namespace !== undefined && { namespace }),
        ...(dryRun === true && { dry_run: true }),
      }
      const answer = await restClient(await remote()).post<Applied>('/runtimes:apply-package', body)
      if (output !== 'table') return terminal.out(formatValue(output, answer))
      const rows: Row[] = [
        ...answer.items.map(({ deployment_key, change, id }) => ({ deployment: deployment_key, change, runtime: id })),
        ...answer.skipped.map(({ deployment_key, because }) => ({
          deployment: deployment_key,
          change: 'skipped',
          runtime: because,
        })),
      ]
      const columns = [
        { head: 'deployment', cell: (row: Row) => row.deployment },
        { head: 'change', cell: (row: Row) => row.change },
        { head: 'runtime', cell: (row: Row) => row.runtime },
      ]
      terminal.out(formatList(output, rows, columns))
    })
}
