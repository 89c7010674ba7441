import { ClassRuntime } from '../../domains/runtimes/index.ts'
import { isNotFound, makeClient, type HttpTransport } from '../../kube/index.ts'

export const HOW_TO_INSTALL = `kubectl apply -f deploy/crds/${ClassRuntime.manifest.metadata.name}.yaml`

/** False only if the API server says so. An unreachable server counts as serving; the watches retry. */
export const isRuntimeServed = (transport: HttpTransport): Promise<boolean> =>
  makeClient(transport, { fieldManager: 'caelus' })
    .listPage(ClassRuntime, { limit: 1 })
    .then(
      () => true,
      (error: unknown) => !isNotFound(error),
    )
