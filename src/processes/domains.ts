import type { AddCommands } from '../cli/index.ts'
import { apps } from './apps/index.ts'
import { clusters } from './clusters/index.ts'
import type { Domain, OpenDomain, StartProcess } from './domain.ts'
import { echo } from './echo/index.ts'
import { runtimes } from './runtimes/index.ts'

/** Every domain, in the order in which commands, routes and sections of the configuration are listed. */
export const DOMAINS: readonly Domain[] = [echo, apps, clusters, runtimes]

/** Loads the code of all domains and opens their parts in one process. */
export const openDomains = (): Promise<OpenDomain[]> =>
  Promise.all(DOMAINS.map(async ({ name, open }) => ({ name, ...(await open()) })))

/** The commands of all domains. */
export const domainCommands = (start: StartProcess): AddCommands[] =>
  DOMAINS.map(
    ({ commands }) =>
      (program, ports) =>
        commands?.(program, ports, start),
  )
