import type { Command } from 'commander'
import type { CliPorts } from '../../ports.ts'
import { wholeNumber } from '../options.ts'

export interface ClusterWorkerOptions {
  readonly concurrency?: number
}

/** The ports of the commands of clusters. */
export interface ClustersCliPorts extends CliPorts {
  /** Runs until it is stopped. */
  readonly clusterWorker: (options: ClusterWorkerOptions) => Promise<void>
}

export function clusterWorkerCommands(program: Command, { clusterWorker }: ClustersCliPorts): void {
  program
    .command('run-cluster-worker')
    .description('write clusters to Gardener as they change, and their status back, until stopped')
    .option('--concurrency <count>', 'how many syncs at once; without it, CAELUS_WORKER_CONCURRENCY', wholeNumber)
    .action(async (options: ClusterWorkerOptions) => await clusterWorker(options))
}
