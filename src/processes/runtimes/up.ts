import type { Config } from '../../config/index.ts'
import { ClassRuntime } from '../../domains/runtimes/index.ts'
import { atEnd, type Service } from '../../kernel/index.ts'
import { installCrd, type Client, type HttpTransport } from '../../kube/index.ts'
import { runtimesControllers } from './controllers.ts'
import { HOW_TO_INSTALL, isRuntimeServed } from './definition.ts'
import { demoLoad, makeDemoRuntimes } from './demo.ts'
import type { Serving } from '../shared/serve.ts'
import type { ProgressLine } from '../shared/terminal.ts'
import { keepDecisions, openPool } from '../../store/index.ts'

export interface UpRuntimesOptions {
  readonly config: Config
  readonly databaseUrl: string
  readonly serving: Serving
  readonly progress: ProgressLine
  readonly transport: HttpTransport
  readonly client: Client
  /** Whether the control plane is the local one, into which CRDs and demos are installed. */
  readonly isLocal: boolean
  readonly begin: (service: Service) => Promise<void>
}

/**
 * Starts the controller of class runtimes and creates the demo's. Nothing is installed into an external
 * control plane.
 */
export async function upRuntimes(options: UpRuntimesOptions): Promise<void> {
  const { config, databaseUrl, serving, progress, transport, client, isLocal, begin } = options
  const { kernel, decisions, onError } = serving
  if (isLocal) await installCrd(client, ClassRuntime)
  for (const service of serving.runtimes.see(transport)) await begin(service)
  if (!isLocal && !(await isRuntimeServed(transport))) {
    progress.say(`  The ClassRuntime CRD is not installed: ${HOW_TO_INSTALL}, then start again`)
    return
  }
  const pool = openPool({ url: databaseUrl, applicationName: 'caelus controllers', role: 'caelus_worker', max: 2 })
  await begin(atEnd('runtimes connections', () => pool.end()))
  const notKept = (error: unknown): void => onError(error, 'Decision not kept')
  await begin(keepDecisions({ pool, decisions, controller: 'runtimes', onError: notKept }))
  const { services } = runtimesControllers({ config, transport, emitter: kernel, decisions, onError })
  for (const service of services) await begin(service)
  if (isLocal) {
    await makeDemoRuntimes(client, serving.runtimes.runtimes)
    await begin(demoLoad(client, (error) => onError(error, 'Demo load failed')))
  }
  progress.say('  Runtimes converge: npx caelus list-runtimes')
}
