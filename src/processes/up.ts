import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { openAppsControlPlane } from './apps/control-plane.ts'
import { orderDemo } from './apps/demo.ts'
import { appsWorkerServices } from './apps/worker.ts'
import type { Terminal } from '../cli/index.ts'
import type { Config } from '../config/index.ts'
import { echoDemo } from './demo/echo.ts'
import { aborted, defineFailures, messageOf, startAll, systemClock, type Service } from '../kernel/index.ts'
import type { Client, HttpTransport } from '../kube/index.ts'
import { boundedStop } from './run.ts'
import { connectKubernetes } from './shared/connect.ts'
import type { Env } from './shared/environment.ts'
import { controlPlaneReport } from './shared/kubernetes-report.ts'
import { keptSessionKey, keptValuesKey, LOCAL_ADMIN, localLogins, writeLocalLogin } from './shared/local-login.ts'
import { retentionServices } from './shared/retention.ts'
import { advancePreparation, beginPreparation, endPreparation, type PreparationStep } from './shared/preparation.ts'
import { assemble, type Serving } from './shared/serve.ts'
import { simulatedStorage } from './demo/simulated-storage.ts'
import { stopSignal } from './shared/stop-signal.ts'
import { tracingServices } from './shared/telemetry.ts'
import { migrate } from '../store/index.ts'
import { progressLine, type ProgressLine } from './shared/terminal.ts'
import { upRuntimes } from './runtimes/up.ts'
import { VERSION } from '../version.ts'

const raise = defineFailures({
  DataDirInUse: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Stop that process, or set CAELUS_DATA_DIR to another directory.',
  },
})

export interface UpOptions {
  readonly config: Config
  readonly env: Env
  readonly terminal: Terminal
  /** Whether to connect to Kubernetes. */
  readonly controlPlane: boolean
}

/** Steps that run in reverse order at the end. The failure of one does not keep the others from running. */
class Undo {
  readonly #steps: (() => Promise<unknown>)[] = []

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step)
  }

  async all(onError: (error: unknown) => void): Promise<void> {
    for (const step of this.#steps.splice(0).toReversed()) await step().catch(onError)
  }
}

/**
 * `caelus up`: runs everything on one machine until a stop signal, or until a service ends by itself.
 *
 * The console responds within seconds; slower parts are prepared in the background, with progress in the
 * terminal and in `GET /status`. The data survives a restart.
 */
export async function up({ config: given, env, terminal, controlPlane }: UpOptions): Promise<void> {
  const config = forHere(given)
  const dataDir = resolve(config.dataDir)
  const progress = progressLine(terminal)
  const undo = new Undo()
  const ended = new AbortController()
  const stopped = stopSignal(() => progress.say('stopping; press Ctrl-C again to end at once'))
  const signal = AbortSignal.any([stopped, ended.signal])
  try {
    await mkdir(dataDir, { recursive: true })
    undo.add(await lockDataDir(dataDir))
    progress.say(`Caelus ${VERSION}`)
    const owner = await database(config, dataDir, undo)
    const ran = await migrate(owner)
    const { api: databaseUrl, worker: workerUrl } =
      config.databaseUrl === undefined ? await localLogins(owner, dataDir) : { api: owner, worker: owner }
    progress.say(`  PostgreSQL is ready${ran.length > 0 ? `, ${ran.length} migrations ran` : ''}`)

    const logFile = join(dataDir, 'caelus.log')
    const logTo = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
    const serving = await assemble({
      config,
      env,
      databaseUrl,
      devLogin: config.devLogin ?? true,
      sessionKey: config.sessionKey ? Buffer.from(config.sessionKey.reveal(), 'base64') : await keptSessionKey(dataDir),
      valuesKey: config.valuesKey?.reveal() ?? (await keptValuesKey(dataDir)),
      localCharts: config.localCharts ?? true,
      logTo,
      secrets: [owner, workerUrl].flatMap((url) => [url, new URL(url).password]),
    })
    serving.report.waitFor(controlPlane ? 'waits for the control plane' : 'started without a control plane')
    undo.add(() => serving.close())
    const stopping = boundedStop({ log: serving.log, graceMs: config.shutdownGrace })
    const begin = async (service: Service): Promise<void> => {
      const end = (error: unknown): void => {
        if (signal.aborted) return
        progress.say(`  ${service.name} ended by itself: ${messageOf(error)}`)
        ended.abort(error)
      }
      service.done.then(() => end(new Error(`${service.name} ended by itself`)), end)
      undo.add(await startAll([stopping.bound(service)], signal))
    }
    const pruning = retentionServices(config, workerUrl, (error) => serving.onError(error, 'Old rows not deleted'))
    for (const service of [...tracingServices(config), ...serving.services, ...pruning]) await begin(service)
    await writeLocalLogin(serving.pool, dataDir, serving.http.url())
    progress.say(welcome(serving.http.url(), config, fromHere(logFile)))

    const background = [buildConsole(serving, progress, signal)]
    if (controlPlane)
      background.push(
        withControlPlane({ config, env, dataDir, databaseUrl: workerUrl, serving, progress, undo, begin, signal }),
      )
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

/** The local control plane has no metrics server, so HorizontalPodAutoscalers could not work. */
const forHere = (config: Config): Config =>
  config.kubeconfig === undefined ? { ...config, runtimesHpa: config.runtimesHpa ?? false } : config

/** The path relative to the working directory, if it is below it. */
function fromHere(path: string): string {
  const way = relative(process.cwd(), path)
  return way.startsWith('..') ? path : way
}

function welcome(url: string, config: Config, logFile: string): string {
  const login =
    (config.devLogin ?? true)
      ? `log in as ${LOCAL_ADMIN} with the role admin: the development login asks for no password`
      : 'log in with your identity provider'
  return `  The console and the API are at ${url}\n    ${login}\n    commands such as \`npx caelus status\` are logged in already; the log is in ${logFile}`
}

export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const { lock, LockHeld } = await import('../../tools/index.ts')
  return await lock(join(dataDir, 'up.lock')).catch((cause: unknown) => {
    if (cause instanceof LockHeld) throw raise.DataDirInUse(`${dataDir} is in use by process ${cause.holder.pid}`)
    throw cause
  })
}

async function database(config: Config, dataDir: string, undo: Undo): Promise<string> {
  if (config.databaseUrl !== undefined) return config.databaseUrl.reveal()
  const { startPostgres } = await import('../../tools/index.ts')
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') })
  undo.add(() => postgres.stop())
  return postgres.url
}

async function buildConsole({ board }: Serving, progress: ProgressLine, signal: AbortSignal): Promise<void> {
  const { buildConsole: build } = await import('../../tools/index.ts')
  const report = (health: 'ok' | 'preparing' | 'down', message: string): void =>
    board.component('console', { health, message, version: VERSION })
  report('preparing', 'being built')
  try {
    const built = await build(signal)
    report('ok', 'built')
    if (built) progress.say('  The console is built')
  } catch (error) {
    report('down', messageOf(error))
    if (!signal.aborted) progress.say(`  ${messageOf(error)}`)
  }
}

interface ControlPlaneWork {
  readonly config: Config
  readonly env: Env
  readonly dataDir: string
  /** Of workers. */
  readonly databaseUrl: string
  readonly serving: Serving
  readonly progress: ProgressLine
  readonly undo: Undo
  /** Starts a service that is stopped at the end. */
  readonly begin: (service: Service) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Prepares the local control plane, or connects to the given one, and starts the demos. Failures go to the
 * status board.
 */
async function withControlPlane(work: ControlPlaneWork): Promise<void> {
  const { config, env, serving, progress, undo, begin, signal } = work
  const { board, checks } = serving
  try {
    const origin = config.kubeconfig === undefined ? 'local' : 'external'
    const kubeconfig = config.kubeconfig ?? (await prepareControlPlane(work))
    if (signal.aborted) return
    const transport = await connectKubernetes({ kubeconfig, env, emitter: serving.kernel })
    undo.add(() => transport.close())
    const report = controlPlaneReport(transport, origin, board, systemClock)
    await begin(report.service)
    checks.push(report.check)
    progress.show('', '')
    progress.say(`  The control plane is ready: export KUBECONFIG=${fromHere(kubeconfig)}`)
    for (const service of await echoDemo(transport, report.client, serving)) await begin(service)
    progress.say('  The demo converges: kubectl get echoes,configmaps -n caelus-demo')
    const isLocal = origin === 'local'
    await upRuntimes({ ...work, transport, client: report.client, isLocal }).catch((error: unknown) => {
      if (signal.aborted) return
      progress.say(`  ${messageOf(error)}\n    the rest goes on without runtimes; the next start tries again`)
    })
    const apps = { ...work, transport, kubeconfig, client: report.client, isLocal }
    await withApps(apps).catch((error: unknown) => {
      if (signal.aborted) return
      serving.report.waitFor(messageOf(error))
      progress.show('', '')
      progress.say(`  ${messageOf(error)}\n    the rest goes on without apps; the next start tries again`)
    })
  } catch (error) {
    if (signal.aborted) return
    board.component('kubernetes', { health: 'down', message: messageOf(error), version: null })
    progress.show('', '')
    progress.say(
      `  ${messageOf(error)}\n    the console and the API keep running without a control plane; the next start tries again`,
    )
  }
}

interface AppsWork extends ControlPlaneWork {
  readonly transport: HttpTransport
  readonly kubeconfig: string
  readonly client: Client
  readonly isLocal: boolean
}

/** Finds or builds Helm, starts the apps worker, and orders the demo apps. */
async function withApps(work: AppsWork): Promise<void> {
  const { config, env, databaseUrl, serving, progress, undo, begin, signal, transport, kubeconfig, client, isLocal } =
    work
  const { useCases, report, kernel, decisions, onError } = serving
  const { obtainBinaries, progressLine: lineFor } = await import('../../tools/index.ts')
  report.waitFor('waits for Helm')
  const tell = (step: Parameters<typeof lineFor>[0]): void =>
    progress.show(step.what, `  preparing apps: ${lineFor(step)}`)
  const { helm } = await obtainBinaries(['helm'], tell, signal)
  progress.show('', '')
  if (signal.aborted) return
  const controlPlane = await openAppsControlPlane({
    config,
    env,
    databaseUrl,
    role: 'caelus_worker',
    useCases,
    transport,
    kubeconfig,
    helm,
  })
  undo.add(() => controlPlane.close())
  serving.see(controlPlane.insight)
  const services = [
    ...(isLocal ? [simulatedStorage(client, (message) => onError(message, 'Simulated storage failed'))] : []),
    ...appsWorkerServices({
      config,
      databaseUrl,
      controlPlane,
      emitter: kernel,
      decisions,
      onError,
      board: serving.board,
    }),
  ]
  for (const service of services) await begin(service)
  report.waitFor(undefined)
  await orderDemo(serving)
  progress.say('  Apps converge: npx caelus list-deployments')
}

const DETAIL_EVERY_MS = 1_000

const BINARIES = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'helm', 'kube-scheduler', 'kwok'] as const

async function prepareControlPlane({
  dataDir,
  serving: { board },
  progress,
  undo,
  signal,
}: ControlPlaneWork): Promise<string> {
  const { ensureControlPlane, obtainBinaries, progressLine: lineFor } = await import('../../tools/index.ts')
  const now = (): string => new Date().toISOString()
  let view = beginPreparation(now())
  let shown = { what: '', at: 0 }
  const tell = (step: PreparationStep, text: string): void => {
    view = advancePreparation(view, step, now())
    progress.show(step.what, `  preparing the control plane: ${text}`)
    if (step.what === shown.what && Date.now() - shown.at < DETAIL_EVERY_MS) return
    shown = { what: step.what, at: Date.now() }
    board.preparation(view)
    board.component('kubernetes', { health: 'preparing', message: text, version: null })
  }
  tell({ what: 'looking for the programs' }, 'looking for the programs')
  const onProgress = (step: Parameters<typeof lineFor>[0]): void => tell(step, lineFor(step))
  try {
    // Helm before the last of them, so that apps converge with the rest. What fails here fails again where it is needed.
    await obtainBinaries(BINARIES, onProgress, signal).catch(() => {})
    const controlPlane = await ensureControlPlane({
      dir: join(dataDir, 'control-plane'),
      nodes: 'kwok',
      onProgress,
      signal,
    })
    undo.add(() => controlPlane.stop())
    board.preparation(endPreparation(view, undefined, now()))
    return controlPlane.kubeconfig
  } catch (error) {
    board.preparation(endPreparation(view, messageOf(error), now()))
    throw error
  }
}
