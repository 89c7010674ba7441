import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { restClient, type RestClient } from '../client.ts'
import type { ConfigRow, CliPorts } from '../ports.ts'
import { raise } from '../failures.ts'
import { formatList, formatValue } from '../output.ts'
import { durationMs, outputOption, type OutputOption } from './options.ts'

interface Component {
  readonly name: string
  readonly health: string
  readonly message: string
  readonly version: string | null
  readonly since: string
}

interface Status {
  readonly components: readonly Component[]
}

const WELL = new Set(['ok', 'disabled'])

export function operateCommands(program: Command, { remote, config, terminal }: CliPorts): void {
  program
    .command('status')
    .description('what the server is made of, and how each part is')
    .option('--wait', 'wait until every part is ready')
    .option('--timeout <duration>', 'how long to wait', durationMs, 300_000)
    .addOption(outputOption())
    .action(async ({ wait = false, timeout, output }: OutputOption & { wait?: boolean; timeout: number }) => {
      const client = restClient(await remote())
      const status = wait ? await whenReady(client, timeout) : await client.get<Status>('/status')
      if (output !== 'table') return terminal.out(formatValue(output, status))
      const columns = [
        { head: 'component', cell: (row: Component) => row.name },
        { head: 'health', cell: (row: Component) => row.health },
        { head: 'version', cell: (row: Component) => row.version },
        { head: 'message', cell: (row: Component) => row.message },
      ]
      terminal.out(formatList(output, status.components, columns))
    })

  program
    .command('config')
    .description('the values in force here, without secrets, and where they come from')
    .addOption(outputOption())
    .action(({ output }: OutputOption) => {
      const columns = [
        { head: 'name', cell: (row: ConfigRow) => row.name },
        { head: 'value', cell: (row: ConfigRow) => row.value },
        { head: 'source', cell: (row: ConfigRow) => row.source },
        { head: 'description', cell: (row: ConfigRow) => row.description },
      ]
      terminal.out(formatList(output, config(), columns))
    })
}

/** Also waits for a server that does not listen yet: it is what one runs right after starting it. */
async function whenReady(client: RestClient, timeoutMs: number): Promise<Status> {
  let last: Status | undefined
  let lastError: unknown
  for (const end = Date.now() + timeoutMs; Date.now() < end; await delay(500)) {
    try {
      last = await client.get<Status>('/status')
      if (last.components.every(({ health }) => WELL.has(health))) return last
    } catch (error) {
      lastError = error
    }
  }
  if (last === undefined) throw lastError
  const late = last.components
    .filter(({ health }) => !WELL.has(health))
    .map(({ name, message }) => `${name} (${message})`)
  throw raise.NotReadyInTime(`not ready after ${timeoutMs / 1000} s: ${late.join(', ')}`)
}
