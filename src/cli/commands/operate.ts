import type { Command } from 'commander'
import { restClient, type RestClient } from '../client.ts'
import type { CliPorts, ConfigRow, Terminal } from '../ports.ts'
import { formatList, formatValue } from '../output.ts'
import { untilSettled, type Verdict } from '../wait.ts'
import { outputOption, timeoutOption, type OutputOption } from './options.ts'

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
    .description('show the health of the server and its components')
    .option('--wait', 'wait until every component is ready')
    .addOption(timeoutOption(5))
    .addOption(outputOption())
    .action(async ({ wait = false, timeout, output }: OutputOption & { wait?: boolean; timeout: number }) => {
      const client = restClient(await remote())
      const status = wait ? await whenReady(client, timeout, terminal) : await client.get<Status>('/status')
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
    .description('show the effective configuration, without secrets, and where each value comes from')
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

/** Also waits for a server that does not listen yet, because it is often run right after starting one. */
const whenReady = (client: RestClient, timeoutMs: number, terminal: Terminal): Promise<Status> =>
  untilSettled(() => client.get<Status>('/status'), readiness, terminal, { name: 'the server', timeoutMs })

function readiness(status: Status): Verdict<Status> {
  const late = status.components.filter(({ health }) => !WELL.has(health))
  if (late.length === 0) return { is: 'settled', value: status }
  return { is: 'waiting', text: `not ready: ${late.map(({ name, message }) => `${name} (${message})`).join(', ')}` }
}
