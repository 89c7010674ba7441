import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { openAppsControlPlane } from './apps/control-plane.ts'
import { orderDemo } from './apps/demo.ts'
import { appsWorkerServices } from './apps/worker.ts'
import type { Terminal } from '../cli/index.ts'
import type { Config } from '../config/index.ts'
import { echoDemo } from './demo/echo.ts'
import { defineFailures, messageOf, systemClock, type Service } from '../kernel/index.ts'
import { httpTransport, loadKubeConfig, type Client, type HttpTransport } from '../kube/index.ts'
import { controlPlaneReport } from './shared/kubernetes-report.ts'
import { keptSessionKey, keptValuesKey, LOCAL_ADMIN, writeLocalLogin } from './shared/local-login.ts'
import { advancePreparation, beginPreparation, endPreparation, type PreparationStep } from './shared/preparation.ts'
import { tracingServices } from './api.ts'
import { assemble, type Serving } from './shared/serve.ts'
import { simulatedStorage } from './demo/simulated-storage.ts'
import { aborted, stopSignal } from './shared/stop-signal.ts'
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

type Env = Readonly<Record<string, string | undefined>>

export interface UpOptions {
  readonly config: Config
  readonly env: Env
  readonly terminal: Terminal
  /** False: do without Kubernetes. */
  readonly controlPlane: boolean
}

/** Undone in reverse, each whatever became of the others. */
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
 * `caelus up`: everything on one machine until a signal comes.
 *
 * The console answers within seconds; whatever takes longer is prepared behind it, visible in the terminal and in
 * `GET /status`. Starting again finds the data of the last time.
 */
export async function up({ config: given, env, terminal, controlPlane }: UpOptions): Promise<void> {
  const config = forHere(given)
  const dataDir = resolve(config.dataDir)
  const progress = progressLine(terminal)
  const undo = new Undo()
  const signal = stopSignal(() => progress.say('stopping; press Ctrl-C again to end at once'))
  try {
    await mkdir(dataDir, { recursive: true })
    undo.add(await lockDataDir(dataDir))
    progress.say(`Caelus ${VERSION}`)
    const databaseUrl = await database(config, dataDir, undo)
    const ran = await migrate(databaseUrl)
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
    })
    serving.report.waitFor(controlPlane ? 'waits for the control plane' : 'started without a control plane')
    undo.add(() => serving.close())
    for (const service of [...tracingServices(config), ...serving.services]) await begin(service, undo)
    await writeLocalLogin(serving.pool, dataDir, serving.http.url())
    progress.say(welcome(serving.http.url(), config, fromHere(logFile)))

    const background = [buildConsole(serving, progress, signal)]
    if (controlPlane)
      background.push(withControlPlane({ config, env, dataDir, databaseUrl, serving, progress, undo, signal }))
    else
      serving.board.component('kubernetes', {
        health: 'disabled',
        message: 'started without a control plane',
        version: null,
      })
    await Promise.race([aborted(signal), serving.http.done])
    await Promise.allSettled(background)
  } finally {
    await undo.all((error) => progress.say(`failed to stop: ${messageOf(error)}`))
  }
}

/** Our own control plane measures no load: autoscalers would only complain. */
const forHere = (config: Config): Config =>
  config.kubeconfig === undefined ? { ...config, runtimesHpa: config.runtimesHpa ?? false } : config

/** As one would type it here. */
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

async function begin(service: Service, undo: Undo): Promise<void> {
  undo.add(() => service.stop())
  await service.start()
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
  readonly databaseUrl: string
  readonly serving: Serving
  readonly progress: ProgressLine
  readonly undo: Undo
  readonly signal: AbortSignal
}

/** Prepares the control plane, or finds the given one, and lets the demo converge on it. Never throws: the board tells. */
async function withControlPlane(work: ControlPlaneWork): Promise<void> {
  const { config, env, serving, progress, undo, signal } = work
  const { board, checks } = serving
  try {
    const origin = config.kubeconfig === undefined ? 'local' : 'external'
    const kubeconfig = config.kubeconfig ?? (await prepareControlPlane(work))
    if (signal.aborted) return
    const transport = httpTransport(await loadKubeConfig({ path: kubeconfig, env }))
    undo.add(() => transport.close())
    const report = controlPlaneReport(transport, origin, board, systemClock)
    await begin(report.service, undo)
    checks.push(report.check)
    progress.show('', '')
    progress.say(`  The control plane is ready: export KUBECONFIG=${fromHere(kubeconfig)}`)
    for (const service of await echoDemo(transport, report.client, serving)) await begin(service, undo)
    progress.say('  The demo converges: kubectl get echoes,configmaps -n caelus-demo')
    const isLocal = origin === 'local'
    const beginOne = (service: Service): Promise<void> => begin(service, undo)
    await upRuntimes({ ...work, transport, client: report.client, isLocal, begin: beginOne }).catch(
      (error: unknown) => {
        if (signal.aborted) return
        progress.say(`  ${messageOf(error)}\n    the rest goes on without runtimes; the next start tries again`)
      },
    )
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

/** Finds or builds Helm, starts the worker of apps, and orders the demo's. */
async function withApps(work: AppsWork): Promise<void> {
  const { config, env, databaseUrl, serving, progress, undo, signal, transport, kubeconfig, client, isLocal } = work
  const { useCases, report, kernel, decisions, log } = serving
  const { obtainBinaries, progressLine: lineFor } = await import('../../tools/index.ts')
  report.waitFor('waits for Helm')
  const tell = (step: Parameters<typeof lineFor>[0]): void =>
    progress.show(step.what, `  preparing apps: ${lineFor(step)}`)
  const { helm } = await obtainBinaries(['helm'], tell, signal)
  progress.show('', '')
  if (signal.aborted) return
  const controlPlane = await openAppsControlPlane({ config, env, databaseUrl, useCases, transport, kubeconfig, helm })
  undo.add(() => controlPlane.close())
  serving.see(controlPlane.insight)
  const onError = (error: unknown, what: string): void => log.warn({ failure: messageOf(error) }, what)
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
  for (const service of services) await begin(service, undo)
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
  let told = { what: '', at: 0 }
  const tell = (step: PreparationStep, text: string): void => {
    view = advancePreparation(view, step, now())
    progress.show(step.what, `  preparing the control plane: ${text}`)
    if (step.what === told.what && Date.now() - told.at < DETAIL_EVERY_MS) return
    told = { what: step.what, at: Date.now() }
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
