import type { Command } from 'commander'
import type { CliPorts } from '../../ports.ts'
import { formatFacts } from '../../output.ts'
import { DEPLOYMENT } from './nouns.ts'
import { outputOption, wholeNumber, type OutputOption } from '../options.ts'

/** What a worker does, by hand: on the database of DATABASE_URL and the control plane of CAELUS_KUBECONFIG. */
export interface AppsWorkerPort {
  /** Runs until it is stopped. */
  readonly loop: () => Promise<void>
  /** Answers how many deployments were reconciled. */
  readonly once: () => Promise<number>
  /** By name, domain or id. Answers what was done and how it ended. */
  readonly reconcile: (deployment: string) => Promise<object>
  /** Answers how many deployments were enqueued. */
  readonly scanDrift: () => Promise<number>
  /** Answers how many were sealed anew, and which cannot be opened. */
  readonly rotateValuesKey: () => Promise<object>
}

export interface AppsWorkerOptions {
  readonly concurrency?: number
  readonly pollSeconds?: number
}

/** The ports of the commands of apps. */
export interface AppsCliPorts extends CliPorts {
  readonly appsWorker: (options?: AppsWorkerOptions) => Promise<AppsWorkerPort>
}

/** What a worker does, by hand: on the database of DATABASE_URL and the control plane of CAELUS_KUBECONFIG. */
export function workerCommands(program: Command, { appsWorker, terminal }: AppsCliPorts): void {
  program
    .command('run-worker-loop')
    .description('reconcile deployments as they become due, until stopped')
    .option('--concurrency <count>', 'how many runs at once; without it, CAELUS_WORKER_CONCURRENCY', wholeNumber)
    .option(
      '--poll-seconds <seconds>',
      'how often to ask when nothing notified; without it, as CAELUS_WORKER_POLL says',
      wholeNumber,
    )
    .action(async (options: AppsWorkerOptions) => await (await appsWorker(options)).loop())

  program
    .command('run-worker-once')
    .description('reconcile all deployments that are due now, then stop')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) =>
      terminal.out(formatFacts(output, { reconciled: await (await appsWorker()).once() })),
    )

  program
    .command('reconcile')
    .description('reconcile one deployment now, as a worker would; refused while a worker runs it')
    .argument('<deployment>', DEPLOYMENT.named)
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
    .description('encrypt all write-only values with the first key of CAELUS_VALUES_KEY')
    .addOption(outputOption())
    .action(async ({ output }: OutputOption) =>
      terminal.out(formatFacts(output, await (await appsWorker()).rotateValuesKey())),
    )
}
