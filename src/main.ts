import { access, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { runCli, type ControlPlanePort, type CliPorts, type Remote } from './cli/index.ts'
import { effectiveValues, environment as env, invalid, readConfig, type Config } from './config/index.ts'
import { neededDatabaseUrl } from './processes/shared/environment.ts'
import { processTerminal } from './processes/shared/terminal.ts'
import { VERSION } from './version.ts'

/*
 * The composition root. Each command loads only the parts that it needs: `caelus version` loads no database
 * driver, and the published image has no tools.
 */

let known: Config | undefined
const config = (): Config => (known ??= readConfig(env))

async function remote(): Promise<Remote> {
  const { url, token, dataDir } = config()
  if (url !== undefined) return { url, token: token?.reveal() }
  const { readLocalLogin } = await import('./processes/shared/login-file.ts')
  const local = await readLocalLogin(resolve(dataDir))
  return { url: local?.url ?? 'http://127.0.0.1:8080', token: token?.reveal() ?? local?.token }
}

async function controlPlane(): Promise<ControlPlanePort> {
  const tools = await import('../tools/index.ts')
  const { progressLine } = await import('./processes/shared/terminal.ts')
  const progress = progressLine(processTerminal)
  const dir = join(resolve(config().dataDir), 'control-plane')
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
    url: neededDatabaseUrl(config()),
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
    const dataDir = resolve(config().dataDir)
    return await access(dataDir).then(
      () => dataDir,
      () => undefined,
    )
  },
  async remove() {
    const dataDir = resolve(config().dataDir)
    const [{ controlPlaneDown, removePostgresData }, { lockDataDir }] = await Promise.all([
      import('../tools/index.ts'),
      import('./processes/up.ts'),
    ])
    const unlock = await lockDataDir(dataDir)
    await controlPlaneDown({ dir: join(dataDir, 'control-plane'), purge: true })
    await removePostgresData(join(dataDir, 'postgres'))
    await unlock()
    await rm(dataDir, { recursive: true, force: true })
  },
}

const ports: CliPorts = {
  version: VERSION,
  terminal: processTerminal,
  remote,
  config: () => effectiveValues(config(), env),
  async up(options) {
    const { up } = await import('./processes/up.ts')
    await longRunning(up({ config: config(), env, terminal: processTerminal, ...options }))
  },
  async api() {
    const { runApi } = await import('./processes/api.ts')
    await longRunning(runApi(config(), env))
  },
  async migrate() {
    return (await import('./store/index.ts')).migrate(neededDatabaseUrl(config()))
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
    await createLogins(neededDatabaseUrl(config()), logins)
    return logins
  },
  createAdmin,
  controlPlane,
  reset,
  async controllers(options) {
    const { runControllers } = await import('./processes/controllers.ts')
    await longRunning(runControllers(config(), env, options))
  },
  async appsWorker(options) {
    const port = (await import('./processes/worker.ts')).appsWorkerPort(config(), env, options)
    return { ...port, loop: () => longRunning(port.loop()) }
  },
}

let mustExit = false

/**
 * Ends the process when the command ends: a connection or timer that is still open must not keep it alive.
 */
async function longRunning(command: Promise<void>): Promise<void> {
  mustExit = true
  await command
}

process.exitCode = await runCli(process.argv.slice(2), ports)
if (mustExit) process.exit()
