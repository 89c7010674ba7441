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
import { aborted, atEnd, messageOf, service, systemClock, type Service } from '../../kernel/index.ts'
import { runUntilStopped, type Running, type RunOptions } from '../run.ts'
import { OF_API } from '../sections.ts'
import { connectKubernetes } from '../shared/connect.ts'
import { secretsIn } from '../shared/environment.ts'
import { openHost } from '../shared/host.ts'
import { keptText, newKey } from '../shared/kept-file.ts'
import { decisionServices } from '../shared/kept-decisions.ts'
import { controlPlaneReport } from '../shared/kubernetes-report.ts'
import { LOCAL_ADMIN, localLogins, writeLocalLogin } from '../shared/local-login.ts'
import { retentionServices } from '../shared/retention.ts'
import { assemble, type Serving } from '../shared/serve.ts'
import { stopSignal } from '../shared/stop-signal.ts'
import { tracingServices } from '../shared/telemetry.ts'
import { progressLine, type ProgressLine } from '../shared/terminal.ts'
import { migrate } from '../../store/index.ts'
import type { FailureLog } from '../../telemetry/index.ts'
import { VERSION } from '../../version.ts'
import { buildConsole } from './console.ts'
import { untilConverged } from './converged.ts'
import { prepareControlPlane } from './control-plane.ts'
import { lockDataDir } from './lock.ts'

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
  const here: Here = { dataDir: resolve(dir), isLocal: kubeconfig === undefined }
  const { dataDir } = here
  const progress = progressLine(terminal)
  let failures: FailureLog | undefined

  const open = async (running: Running): Promise<void> => {
    const { begin, waitFor, signal } = running
    await mkdir(dataDir, { recursive: true })
    await begin(atEnd('lock of the data directory', await lockDataDir(dataDir)))
    progress.say(`Caelus ${VERSION}`)
    const owner = givenDatabase?.reveal() ?? (await embeddedPostgres(dataDir, begin))
    const ran = await waitFor('migrations of the database', migrate(owner))
    const { api: databaseUrl, worker: workerUrl } =
      givenDatabase === undefined ? await localLogins(owner, dataDir) : { api: owner, worker: owner }
    progress.say(`  PostgreSQL is ready${ran.length > 0 ? `, ${ran.length} migrations ran` : ''}`)

    const domains = await openDomains()
    const config = readConfig(env, { sections: OF_API, defaults: await localDefaults(here, domains) })
    const logFile = join(dataDir, 'caelus.log')
    const logTo = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
    const secrets = [owner, databaseUrl, workerUrl].flatMap(secretsIn)
    const host = openHost({ config, env, domains, secrets, logTo })
    failures = host.failures
    const serving = await assemble({ host, domains, databaseUrl })
    await begin(atEnd('api connections', () => serving.close()))
    const waiting = controlPlane ? 'waits for the control plane' : 'started without a control plane'
    for (const domain of serving.domains) domain.waitFor?.(waiting)
    const pruning = retentionServices(config.of(RETENTION), { url: workerUrl, role: 'caelus_worker' }, (error) =>
      serving.onError(error, 'Old rows not deleted'),
    )
    await Promise.all([...tracingServices(config.of(TELEMETRY)), ...serving.services].map(begin))
    for (const one of [...pruning, ...decisionServices(host, workerUrl)]) await begin(one)
    await waitFor('database', writeLocalLogin(serving.pool, dataDir, serving.http.url()))
    progress.say(welcome(serving.http.url(), config, fromHere(logFile)))

    await begin(inBackground('build of the console', () => buildConsole(serving.board, progress, signal)))
    const troubled = new Map<string, number>()
    const work: UpWork = { here, workerUrl, serving, progress, running, troubled }
    await begin(inBackground('domains without a control plane', () => withoutControlPlane(work)))
    if (controlPlane) await begin(inBackground('control plane', () => withControlPlane(work)))
    else
      serving.board.component('kubernetes', {
        health: 'disabled',
        message: 'started without a control plane',
        version: null,
      })
  }

  await runUntilStopped(open, {
    log: terminalLog(progress),
    graceMs: given.of(SERVER).shutdownGrace,
    lastFailure: () => failures?.last(),
    signal: stopSignal(() => progress.say('stopping; press Ctrl-C again to end at once')),
  })
}

/** Shows on the terminal which service keeps the process from starting or stopping. */
function terminalLog(progress: ProgressLine): RunOptions['log'] {
  const say = (facts: unknown, message = ''): void => {
    const { service: name, failure } = facts as { service?: string; failure?: string }
    progress.say(`  ${message}: ${name}${failure === undefined ? '' : `: ${failure}`}`)
  }
  return { debug: () => {}, info: say, warn: say, error: say }
}

/** Work that begins now. A stop waits until it has ended. */
const inBackground = (name: string, work: () => Promise<void>): Service =>
  service(name, async (signal, ready) => {
    ready()
    await work()
    await aborted(signal)
  })

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

/** Starts the embedded PostgreSQL and returns its URL. */
async function embeddedPostgres(dataDir: string, begin: Running['begin']): Promise<string> {
  const { startPostgres } = await import('../../../tools/index.ts')
  const url = Promise.withResolvers<string>()
  await begin(
    service('PostgreSQL', async (signal, ready) => {
      const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') })
      url.resolve(postgres.url)
      ready()
      await aborted(signal)
      await postgres.stop()
    }),
  )
  return await url.promise
}

interface UpWork {
  readonly here: Here
  readonly workerUrl: string
  readonly serving: Serving
  readonly progress: ProgressLine
  readonly running: Running
  /** Filled by the domains as they start. */
  readonly troubled: Map<string, number>
}

/** Starts the domains that need no control plane. */
async function withoutControlPlane({ here, workerUrl, serving, progress, running, troubled }: UpWork): Promise<void> {
  const { begin, signal } = running
  await Promise.all(
    serving.domains.map(async (domain) => {
      const started = await domain
        .upAlone?.({ ...here, workerUrl, progress, signal, begin })
        .catch((error: unknown) => {
          if (!signal.aborted) progress.say(withoutDomain(domain.name, error))
        })
      if (started !== undefined) troubled.set(domain.name, started.troubled)
    }),
  )
}

const withoutDomain = (name: string, error: unknown): string =>
  `  ${messageOf(error)}\n    continuing without ${name}; the next start tries again`

/**
 * Prepares the local control plane, or connects to the given one, and starts the domains on it. Failures go to
 * the status board; the failure of one domain does not keep the others from starting.
 */
async function withControlPlane({ here, workerUrl, serving, progress, running, troubled }: UpWork): Promise<void> {
  const { config, env, board, events, checks, emitter } = serving
  const { begin, signal } = running
  try {
    const kubeconfig = config.of(INSTALLATION).kubeconfig ?? (await localControlPlane())
    const transport = await connectKubernetes({ kubeconfig, env, emitter })
    await begin(atEnd('control plane connections', () => transport.close()))
    const report = controlPlaneReport(transport, here.isLocal ? 'local' : 'external', board, systemClock)
    await begin(report.service)
    checks.push(report.check)
    progress.show('', '')
    const which = here.isLocal ? 'The control plane is ready' : 'Using the given control plane'
    progress.say(`  ${which}: export KUBECONFIG=${fromHere(kubeconfig)}`)
    const host = { ...here, workerUrl, transport, kubeconfig, client: report.client, progress, signal, begin }
    await Promise.all(
      serving.domains.map(async (domain) => {
        await domain.up?.(host).catch((error: unknown) => {
          if (signal.aborted) return
          progress.show('', '')
          progress.say(withoutDomain(domain.name, error))
        })
      }),
    )
    if (await untilConverged(board, events, signal, troubled))
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
    await begin(atEnd('local control plane', () => local.stop())).catch(async (error: unknown) => {
      await local.stop()
      throw error
    })
    return local.kubeconfig
  }
}
