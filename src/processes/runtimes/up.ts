import type { Config } from '../../config/index.ts'
import { ClassRuntime } from '../../domains/runtimes/index.ts'
import { messageOf, type Service } from '../../kernel/index.ts'
import { installCrd, type Client, type HttpTransport } from '../../kube/index.ts'
import { keptDecisions, runtimesControllers } from './controllers.ts'
import { HOW_TO_INSTALL, isRuntimeServed } from './definition.ts'
import { demoLoad, makeDemoRuntimes } from './demo.ts'
import type { Serving } from '../shared/serve.ts'
import type { ProgressLine } from '../shared/terminal.ts'

export interface UpRuntimesOptions {
  readonly config: Config
  readonly databaseUrl: string
  readonly serving: Serving
  readonly progress: ProgressLine
  readonly transport: HttpTransport
  readonly client: Client
  /** Whether the control plane is ours, to install things into it. */
  readonly isLocal: boolean
  readonly begin: (service: Service) => Promise<void>
}

/** Starts the controller of class runtimes and lets the demo's converge. A control plane of somebody else is taken as it is. */
export async function upRuntimes(options: UpRuntimesOptions): Promise<void> {
  const { config, databaseUrl, serving, progress, transport, client, isLocal, begin } = options
  const { kernel, decisions, log } = serving
  if (isLocal) await installCrd(client, ClassRuntime)
  for (const service of serving.runtimes.see(transport)) await begin(service)
  if (!isLocal && !(await isRuntimeServed(transport))) {
    progress.say(`  Runtimes wait for their definition: ${HOW_TO_INSTALL}, then start again`)
    return
  }
  const onError = (error: unknown): void => log.warn({ failure: messageOf(error) }, 'Decision not kept')
  await begin(keptDecisions(databaseUrl, decisions, onError))
  const { services } = runtimesControllers({ config, transport, emitter: kernel, decisions })
  for (const service of services) await begin(service)
  if (isLocal) {
    await makeDemoRuntimes(client, serving.runtimes.runtimes)
    await begin(demoLoad(client, (error) => log.warn({ failure: messageOf(error) }, 'Demo load failed')))
  }
  progress.say('  Runtimes converge: npx caelus list-runtimes')
}
