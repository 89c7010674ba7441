import { until, type Clock, type Service } from '../../kernel/index.ts'
import { isAlreadyExists, Namespace, type Client } from '../../kube/index.ts'

/** The namespace of the Leases that lock targets, shared by all domains. */
export const LOCK_NAMESPACE = 'caelus-system'
const RETRY_MS = 5_000

export interface LockNamespaceOptions {
  readonly client: Pick<Client, 'create' | 'get'>
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/**
 * Creates the namespace of the locks as soon as the control plane answers. Must be started before anything
 * takes a lock.
 */
export const lockNamespaceService = ({ client, clock, onError }: LockNamespaceOptions): Service =>
  until('namespace of locks', (signal) => ensureNamespace(client, signal), { everyMs: RETRY_MS, clock, onError })

/** A process that may not create namespaces is satisfied with finding this one. */
async function ensureNamespace(client: LockNamespaceOptions['client'], signal: AbortSignal): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LOCK_NAMESPACE } } as const
  await client.create(Namespace, namespace, { signal }).catch(async (error: unknown) => {
    if (isAlreadyExists(error)) return
    const found = await client.get(Namespace, { name: LOCK_NAMESPACE }, signal).catch(() => undefined)
    if (found === undefined) throw error
  })
}
