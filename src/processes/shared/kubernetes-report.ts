import type { Check, StatusBoard } from '../../api/index.ts'
import { every, messageOf, type Clock, type Service } from '../../kernel/index.ts'
import { makeClient, Node, type Client, type HttpTransport } from '../../kube/index.ts'

const EVERY_MS = 5_000

export interface ControlPlaneReport {
  readonly client: Client
  readonly service: Service
  readonly check: Check
}

/** Reads the version. Not required: a process need not be restarted when the control plane is unreachable. */
export const controlPlaneCheck = (transport: HttpTransport): Check => ({
  name: 'kubernetes',
  required: false,
  async probe(signal) {
    const { status, body } = await transport.send({ method: 'GET', path: '/version', signal, timeoutMs: 5_000 })
    if (status !== 200) throw new Error(`failed to read the Kubernetes version: the API server answered ${status}`)
    return (body as { gitVersion: string }).gitVersion
  },
})

/** Reports the control plane to the status board: its version and nodes, or why it is unreachable. */
export function controlPlaneReport(
  transport: HttpTransport,
  origin: 'local' | 'external',
  board: StatusBoard,
  clock: Clock,
): ControlPlaneReport {
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const check = controlPlaneCheck(transport)
  const observe = async (signal: AbortSignal): Promise<void> => {
    const found = await check.probe(signal)
    const nodes = (await client.list(Node, {}, signal)).map(({ metadata, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      const since = ready?.lastTransitionTime ?? metadata.creationTimestamp ?? new Date(clock.now()).toISOString()
      return {
        name: metadata.name,
        ready: ready?.status === 'True',
        version: status?.nodeInfo?.kubeletVersion ?? '',
        since,
      }
    })
    const unready = nodes.filter(({ ready }) => !ready).length
    board.kubernetes({ version: found, origin, nodes })
    board.component('kubernetes', {
      health: unready === 0 ? 'ok' : 'degraded',
      message: unready === 0 ? `${nodes.length} nodes are ready` : `${unready} of ${nodes.length} nodes are not ready`,
      version: found,
    })
  }
  return {
    client,
    check,
    service: every('control plane report', EVERY_MS, observe, {
      clock,
      readyAfterFirst: true,
      onError: (error) => board.component('kubernetes', { health: 'down', message: messageOf(error), version: null }),
    }),
  }
}
