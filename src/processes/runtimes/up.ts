import { WORKERS } from '../../config/index.ts'
import { ClassRuntime } from '../../domains/runtimes/index.ts'
import type { ApiHost, UpHost } from '../domain.ts'
import { installCrd } from '../../kube/index.ts'
import { runtimesControllers } from './controllers.ts'
import { HOW_TO_INSTALL, isRuntimeServed } from './definition.ts'
import { demoLoad, makeDemoRuntimes } from './demo.ts'
import { runtimesEvents } from './events.ts'
import type { RuntimesUseCases } from './usecases.ts'

/**
 * Starts the controller of class runtimes and creates the demo's. Nothing is installed into an external
 * control plane.
 */
export async function upRuntimes(host: ApiHost, here: UpHost, useCases: RuntimesUseCases): Promise<void> {
  const { config, decisions, onError } = host
  const { progress, transport, client, isLocal, begin } = here
  if (isLocal) await installCrd(client, ClassRuntime)
  for (const service of useCases.see(transport)) await begin(service)
  if (!isLocal && !(await isRuntimeServed(transport))) {
    progress.say(`  The ClassRuntime CRD is not installed: ${HOW_TO_INSTALL}, then start again`)
    return
  }
  const { concurrency } = config.of(WORKERS)
  const emitter = runtimesEvents(host.emitter)
  const { services } = runtimesControllers({ config, transport, emitter, decisions, onError, concurrency })
  for (const service of services) await begin(service)
  if (isLocal) {
    await makeDemoRuntimes(client, useCases.runtimes)
    await useCases.refreshReport()
    await begin(demoLoad(client, (error) => onError(error, 'Demo load failed')))
  }
  progress.say('  Runtimes converge: npx caelus list-runtimes')
}
