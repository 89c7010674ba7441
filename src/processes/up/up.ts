import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Terminal } from '../../cli/index.ts'
import {
  INSTALLATION,
  LOGIN,
  readConfig,
  RETENTION,
  SERVER,
  TELEMETRY,
  type Config,
  type Env,
} from '../../config/index.ts'
import type { Here, OpenDomain } from '../domain.ts'
import { openDomains } from '../domains.ts'
import { aborted, messageOf, startAll, systemClock, type Service } from '../../kernel/index.ts'
import { boundedStop } from '../run.ts'
import { OF_API } from '../sections.ts'
import { connectKubernetes } from '../shared/connect.ts'
import { keptText, newKey } from '../shared/kept-file.ts'
import { controlPlaneReport } from '../shared/kubernetes-report.ts'
import { LOCAL_ADMIN, localLogins, writeLocalLogin } from '../shared/local-login.ts'
import { retentionServices } from '../shared/retention.ts'
import { assemble, type Serving } from '../shared/serve.ts'
import { stopSignal } from '../shared/stop-signal.ts'
import { tracingServices } from '../shared/telemetry.ts'
import { progressLine, type ProgressLine } from '../shared/terminal.ts'
import { migrate } from '../../store/index.ts'
import { VERSION } from '../../version.ts'
import { buildConsole } from './console.ts'
import { untilConverged } from './converged.ts'
import { prepareControlPlane } from './control-plane.ts'
import { lockDataDir } from './lock.ts'
import { Undo } from './undo.ts'

export interface UpOptions {
  /** As read from `env`, without the values that only `up` has. */
  readonly config: Config
  readonly env: Env
  readonly terminal: Terminal
  /** Whether to connect to Kubernetes. */
  readonly controlPlane: boolean
}

/**
 * `caelus up`: runs everything on one machine until a stop signal, or until a service ends unexpectedly.
 *
 * The console responds within seconds; slower parts are prepared in the background, with progress in the
 * terminal and in `GET /status`. The data survives a restart.
 */
export async function up({ config: given, env, terminal, controlPlane }: UpOptions): Promise<void> {
  const { dataDir: dir, kubeconfig, databaseUrl: givenDatabase } = given.of(INSTALLATION)
  const isOurDatabase = givenDatabase === undefined
  const here: Here = { dataDir: resolve(dir), isLocal: kubeconfig === undefined }
  const { dataDir } = here
  const progress = progressLine(terminal)
  const undo = new Undo()
  const ended = new AbortController()
  const stopped = stopSignal(() => progress.say('stopping; press Ctrl-C again to end at once'))
  const signal = AbortSignal.any([stopped, ended.signal])
  try {
    await mkdir(dataDir, { recursive: true })
    undo.add(await lockDataDir(dataDir))
    progress.say(`Caelus ${VERSION}`)
    const owner = await database(given, dataDir, undo)
    const ran = await migrate(owner)
    const { api: databaseUrl, worker: workerUrl } = isOurDatabase
      ? await localLogins(owner, dataDir)
      : { api: owner, worker: owner }
    progress.say(`  PostgreSQL is ready${ran.length > 0 ? `, ${ran.length} migrations ran` : ''}`)

    const domains = await openDomains()
    const config = readConfig(env, { sections: OF_API, defaults: await localDefaults(here, domains) })
    const logFile = join(dataDir, 'caelus.log')
    const logTo = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
    const secrets = [owner, workerUrl].flatMap((url) => [url, new URL(url).password])
    const serving = await assemble({ config, env, domains, databaseUrl, secrets, logTo })
    const waiting = controlPlane ? 'waits for the control plane' : 'started without a control plane'
    for (const domain of serving.domains) domain.waitFor?.(waiting)
    undo.add(() => serving.close())
    const stopping = boundedStop({ log: serving.log, graceMs: config.of(SERVER).shutdownGrace })
    const begin = async (service: Service): Promise<void> => {
      const end = (error: unknown): void => {
        if (signal.aborted) return
        progress.say(`  ${service.name} ended unexpectedly: ${messageOf(error)}`)
        ended.abort(error)
      }
      service.done.then(() => end(new Error(`${service.name} ended unexpectedly`)), end)
      undo.add(await startAll([stopping.bound(service)], signal))
    }
    const pruning = retentionServices(config.of(RETENTION), { url: workerUrl, role: 'caelus_worker' }, (error) =>
      serving.onError(error, 'Old rows not deleted'),
    )
    for (const service of [...tracingServices(config.of(TELEMETRY)), ...serving.services, ...pruning])
      await begin(service)
    await writeLocalLogin(serving.pool, dataDir, serving.http.url())
    progress.say(welcome(serving.http.url(), config, fromHere(logFile)))

    const background = [buildConsole(serving.board, progress, signal)]
    if (controlPlane) background.push(withControlPlane({ here, workerUrl, serving, progress, undo, begin, signal }))
    else
      serving.board.component('kubernetes', {
        health: 'disabled',
        message: 'started without a control plane',
        version: null,
      })
    await aborted(signal)
    await Promise.allSettled(background)
  } catch (error) {
    if (!stopped.aborted) throw error
  } finally {
    await undo.all((error) => progress.say(`failed to stop: ${messageOf(error)}`))
  }
  if (ended.signal.aborted) throw ended.signal.reason
}

/** What is safe on the machine of one developer, and kept in the data directory. */
async function localDefaults(here: Here, domains: readonly OpenDomain[]): Promise<Env> {
  const ofDomains = await Promise.all(domains.map(async (domain) => await domain.localDefaults?.(here)))
  return {
    CAELUS_DEV_LOGIN: 'true',
    CAELUS_SESSION_KEY: await keptText(here.dataDir, 'session-key', newKey),
    ...Object.assign({}, ...ofDomains),
  }
}

/** The path relative to the working directory, if it is below it. */
function fromHere(path: string): string {
  const way = relative(process.cwd(), path)
  return way.startsWith('..') ? path : way
}

function welcome(url: string, config: Config, logFile: string): string {
  const login = config.of(LOGIN).devLogin
    ? `log in as ${LOCAL_ADMIN} with the role admin: the development login asks for no password`
    : 'log in with your identity provider'
  return `  The console and the API are at ${url}\n    ${login}\n    commands such as \`npx caelus status\` are logged in already; the log is in ${logFile}`
}

async function database(config: Config, dataDir: string, undo: Undo): Promise<string> {
  const { databaseUrl } = config.of(INSTALLATION)
  if (databaseUrl !== undefined) return databaseUrl.reveal()
  const { startPostgres } = await import('../../../tools/index.ts')
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') })
  undo.add(() => postgres.stop())
  return postgres.url
}

interface ControlPlaneWork {
  readonly here: Here
  readonly workerUrl: string
  readonly serving: Serving
  readonly progress: ProgressLine
  readonly undo: Undo
  /** Starts a service that is stopped at the end. */
  readonly begin: (service: Service) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Prepares the local control plane, or connects to the given one, and starts the domains on it. Failures go to
 * the status board; the failure of one domain does not keep the others from starting.
 */
async function withControlPlane(work: ControlPlaneWork): Promise<void> {
  const { here, workerUrl, serving, progress, undo, begin, signal } = work
  const { config, env, board, events, checks, emitter } = serving
  try {
    const kubeconfig = config.of(INSTALLATION).kubeconfig ?? (await localControlPlane())
    if (signal.aborted) return
    const transport = await connectKubernetes({ kubeconfig, env, emitter })
    undo.add(() => transport.close())
    const report = controlPlaneReport(transport, here.isLocal ? 'local' : 'external', board, systemClock)
    await begin(report.service)
    checks.push(report.check)
    progress.show('', '')
    progress.say(`  The control plane is ready: export KUBECONFIG=${fromHere(kubeconfig)}`)
    const host = { ...here, workerUrl, transport, kubeconfig, client: report.client, progress, signal, begin }
    await Promise.all(
      serving.domains.map(async (domain) => {
        await domain.up?.(host).catch((error: unknown) => {
          if (signal.aborted) return
          progress.show('', '')
          progress.say(`  ${messageOf(error)}\n    continuing without ${domain.name}; the next start tries again`)
        })
      }),
    )
    if (await untilConverged(board, events, signal))
      progress.say(`  Everything converged ${Math.round(process.uptime())} s after the start`)
  } catch (error) {
    if (signal.aborted) return
    board.component('kubernetes', { health: 'down', message: messageOf(error), version: null })
    progress.show('', '')
    progress.say(
      `  ${messageOf(error)}\n    the console and the API keep running without a control plane; the next start tries again`,
    )
  }

  async function localControlPlane(): Promise<string> {
    const { dataDir } = here
    const local = await prepareControlPlane({ dataDir, board, progress, signal })
    undo.add(() => local.stop())
    return local.kubeconfig
  }
}
