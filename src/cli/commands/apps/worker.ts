import type { Command } from 'commander'
import type { CliPorts } from '../../ports.ts'
import { formatFacts } from '../../output.ts'
import { NAMED } from '../find-by-name.ts'
import { outputOption, wholeNumber, type OutputOption } from '../options.ts'

interface LoopOptions {
  readonly concurrency?: number
  readonly pollSeconds?: number
}

/** What a worker does, by hand: on the database of DATABASE_URL and the control plane of CAELUS_KUBECONFIG. */
export function workerCommands(program: Command, { appsWorker, terminal }: CliPorts): void {
  program
    .command('run-worker-loop')
    .description('reconcile deployments as they become due, until stopped')
    .option('--concurrency <count>', 'how many at once; without it, as CAELUS_WORKER_CONCURRENCY says', wholeNumber)
    .option(
      '--poll-seconds <seconds>',
      'how often to ask when nothing notified; without it, as CAELUS_WORKER_POLL says',
      wholeNumber,
    )
    .action(async (options: LoopOptions) => await (await appsWorker(options)).loop())

  program
    .command('run-worker-once')
    .description('reconcile everything that is due at this moment, then stop')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) =>
      terminal.out(formatFacts(output, { reconciled: await (await appsWorker()).once() })),
    )

  program
    .command('reconcile')
    .description('reconcile one deployment now, as a worker would; refused while a worker has it')
    .argument('<deployment>', NAMED.deployment)
    .addOption(outputOption())
    .action(async (named: string, { output }: OutputOption) =>
      terminal.out(formatFacts(output, await (await appsWorker()).reconcile(named))),
    )

  program
    .command('scan-drift')
    .description('check every deployment for drift')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) =>
      terminal.out(formatFacts(output, { enqueued: await (await appsWorker()).scanDrift() })),
    )

  program
    .command('rotate-values-key')
    .description('seal all write-only values with the first key of CAELUS_VALUES_KEY')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) =>
      terminal.out(formatFacts(output, await (await appsWorker()).rotateValuesKey())),
    )
}
