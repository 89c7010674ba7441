import { access, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { runCli, type ControlPlanePort, type CliPorts, type Remote } from './cli/index.ts'
import {
  effectiveValues,
  environment as env,
  INSTALLATION,
  invalid,
  readConfig,
  REMOTE,
  type Config,
  type Env,
  type Section,
} from './config/index.ts'
import type { StartProcess } from './processes/domain.ts'
import { domainCommands } from './processes/domains.ts'
import { OF_API, OF_CONTROLLERS, OF_REMOTE, SECTIONS } from './processes/sections.ts'
import { neededDatabaseUrl } from './processes/shared/environment.ts'
import { processTerminal } from './processes/shared/terminal.ts'
import { VERSION } from './version.ts'

/*
 * The composition root. Each command loads only the parts that it needs: `caelus version` loads no database
 * driver, and the published image has no tools.
 */

const config = (sections: readonly Section[], from: Env = env): Config =>
  readConfig(from, { sections, known: SECTIONS })

const dataDir = (): string => resolve(config([INSTALLATION]).of(INSTALLATION).dataDir)

async function remote(): Promise<Remote> {
  const { url, token } = config(OF_REMOTE).of(REMOTE)
  if (url !== undefined) return { url, token: token?.reveal() }
  const { readLocalLogin } = await import('./processes/shared/login-file.ts')
  const local = await readLocalLogin(dataDir())
  return { url: local?.url ?? 'http://127.0.0.1:8080', token: token?.reveal() ?? local?.token }
}

async function controlPlane(): Promise<ControlPlanePort> {
  const tools = await import('../tools/index.ts')
  const { progressLine } = await import('./processes/shared/terminal.ts')
  const progress = progressLine(processTerminal)
  const dir = join(dataDir(), 'control-plane')
  return {
    async up(nodes) {
      const status = await tools.controlPlaneUp({
        dir,
        nodes,
        onProgress: (step) => progress.show(step.what, tools.progressLine(step)),
      })
      progress.show('', '')
      return status
    },
    down: (purge) => tools.controlPlaneDown({ dir, purge }),
    status: () => tools.controlPlaneStatus({ dir }),
    kubeconfig: () => tools.controlPlaneKubeconfig({ dir }),
  }
}

async function createAdmin(email: string): Promise<{ email: string; token: string }> {
  const [{ issueAdminToken }, { openPool }] = await Promise.all([
    import('./processes/shared/local-login.ts'),
    import('./store/index.ts'),
  ])
  const pool = openPool({
    url: neededDatabaseUrl(config([INSTALLATION])),
    applicationName: 'caelus create-admin',
    role: 'caelus_api',
  })
  try {
    return { email, token: await issueAdminToken(pool, email, `dev#${email.toLowerCase()}`, 'first admin') }
  } finally {
    await pool.end()
  }
}

const reset: CliPorts['reset'] = {
  async find() {
    const dir = dataDir()
    return await access(dir).then(
      () => dir,
      () => undefined,
    )
  },
  async remove() {
    const dir = dataDir()
    const [{ controlPlaneDown, removePostgresData }, { lockDataDir }] = await Promise.all([
      import('../tools/index.ts'),
      import('./processes/up/lock.ts'),
    ])
    const unlock = await lockDataDir(dir)
    await controlPlaneDown({ dir: join(dir, 'control-plane'), purge: true })
    await removePostgresData(join(dir, 'postgres'))
    await unlock()
    await rm(dir, { recursive: true, force: true })
  },
}

const ports: CliPorts = {
  version: VERSION,
  terminal: processTerminal,
  remote,
  config: () => effectiveValues(config(SECTIONS), env),
  async up({ settings, ...options }) {
    const { up } = await import('./processes/up/up.ts')
    const own = { ...env, ...settings }
    await untilEnded(up({ config: config(OF_API, own), env: own, terminal: processTerminal, ...options }))
  },
  async api() {
    const { runApi } = await import('./processes/api.ts')
    await untilEnded(runApi(config(OF_API), env))
  },
  async migrate() {
    return (await import('./store/index.ts')).migrate(neededDatabaseUrl(config([INSTALLATION])))
  },
  async createLogins(files) {
    const { createLogins, loginOf, ROLES } = await import('./store/index.ts')
    const given = ROLES.flatMap((role) => {
      const file = files[role]
      return file === undefined ? [] : [{ role, file }]
    })
    if (given.length === 0) throw invalid(['--api-url-file or --worker-url-file is missing'])
    const logins = await Promise.all(
      given.map(async ({ role, file }) => loginOf((await readFile(file, 'utf8')).trim(), role)),
    )
    await createLogins(neededDatabaseUrl(config([INSTALLATION])), logins)
    return logins
  },
  createAdmin,
  controlPlane,
  reset,
  async controllers(options) {
    const { runControllers } = await import('./processes/controllers.ts')
    await untilEnded(runControllers(config(OF_CONTROLLERS), env, options))
  },
}

let mustExit = false

/**
 * Ends the process when the command ends: a connection or timer that is still open must not keep it alive.
 */
async function untilEnded(running: Promise<void>): Promise<void> {
  mustExit = true
  await running
}

const start: StartProcess = { env, config: (sections) => config(sections), untilEnded }

process.exitCode = await runCli(process.argv.slice(2), ports, domainCommands(start))
if (mustExit) process.exit()
