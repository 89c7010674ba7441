import type { Command } from 'commander'
import type { CliPorts } from '../ports.ts'

export function apiCommands(program: Command, { api, migrate, createAdmin, terminal }: CliPorts): void {
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
    .command('create-admin')
    .description('make an admin and an API token for them in the database of DATABASE_URL')
    .argument('<email>', 'who becomes admin')
    .action(async (email: string) => {
      const { token } = await createAdmin(email)
      terminal.err(`${email} is an admin. The token is shown this once:\n`)
      terminal.out(`${token}\n`)
    })
}
