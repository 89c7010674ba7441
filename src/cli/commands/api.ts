import type { Command } from 'commander'
import type { CliPorts } from '../ports.ts'

interface LoginOptions {
  readonly apiUrlFile?: string
  readonly workerUrlFile?: string
}

export function apiCommands(program: Command, { api, migrate, createLogins, createAdmin, terminal }: CliPorts): void {
  program
    .command('api')
    .description('run the API and the console on the database of DATABASE_URL')
    .action(() => api())

  program
    .command('migrate')
    .description('bring the database of DATABASE_URL to the schema of this version')
    .action(async () => {
      const ran = await migrate()
      terminal.out(ran.length === 0 ? 'the schema is up to date\n' : ran.map((name) => `ran ${name}\n`).join(''))
    })

  program
    .command('create-database-logins')
    .description('create the database logins of API and workers, which own nothing, on the server of DATABASE_URL')
    .option('--api-url-file <path>', 'file with the connection URL of the API: its user and password become a login')
    .option('--worker-url-file <path>', 'file with the connection URL of workers and controllers')
    .action(async ({ apiUrlFile, workerUrlFile }: LoginOptions) => {
      const files = {
        ...(apiUrlFile !== undefined && { caelus_api: apiUrlFile }),
        ...(workerUrlFile !== undefined && { caelus_worker: workerUrlFile }),
      }
      for (const { name, role } of await createLogins(files)) terminal.out(`${name} may log in as ${role}\n`)
    })

  program
    .command('create-admin')
    .description('create an admin and an API token in the database of DATABASE_URL')
    .argument('<email>', 'the email of the admin')
    .action(async (email: string) => {
      const { token } = await createAdmin(email)
      terminal.err(`${email} is an admin. The token is shown this once:\n`)
      terminal.out(`${token}\n`)
    })
}
