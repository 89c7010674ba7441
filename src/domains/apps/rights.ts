import { every, type Clock, type Emitter, type Service } from '../../kernel/index.ts'
import { isNotFound, KubeError, Namespace, RoleBinding, type Client } from '../../kube/index.ts'
import type { AppsEvents } from './events.ts'
import { DEPLOYMENT_LABEL, grantRights, grantsRights, RIGHTS_NAME } from './fence.ts'

export interface RightsDeps {
  readonly client: Client
  readonly clock: Clock
  readonly emitter: Emitter<AppsEvents>
  readonly everyMs: number
}

/**
 * Grants the users of apps their rights in the namespaces that exist. A namespace of an earlier version may lack some, and
 * without this the API could neither explain nor preview its deployment before a worker reconciles it.
 */
export const rightsService = ({ everyMs, ...deps }: RightsDeps): Service =>
  every('apps rights', everyMs, (signal) => grantMissingRights(deps.client, signal), {
    clock: deps.clock,
    onError: (error) => deps.emitter.emit('apps:rightsMissing', { error }),
  })

/** Requests in flight. */
const AT_ONCE = 8

export async function grantMissingRights(client: Client, signal: AbortSignal): Promise<void> {
  const [namespaces, bindings] = await Promise.all([
    client.list(Namespace, { labels: DEPLOYMENT_LABEL }, signal),
    client.list(RoleBinding, { fields: `metadata.name=${RIGHTS_NAME}` }, signal),
  ])
  const granted = new Set(bindings.filter(grantsRights).map(({ metadata }) => metadata.namespace))
  const left = namespaces
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !granted.has(metadata.name))
    .map(({ metadata }) => metadata.name ?? '')
    .values()
  const grant = async (): Promise<void> => {
    for (const namespace of left) {
      await grantRights({ client }, { namespace }, signal).catch((error: unknown) => {
        // The namespace is terminating or gone.
        if (!isNotFound(error) && !isTerminating(error)) throw error
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, grant))
}

const isTerminating = (error: unknown): boolean =>
  error instanceof KubeError && error.failure.code === 'KubeNamespaceTerminating'
