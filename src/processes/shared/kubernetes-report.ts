import type { Check, StatusBoard } from '../../api/index.ts'
import { messageOf, service, sleep, type Clock, type Service } from '../../kernel/index.ts'
import { makeClient, Node, type Client, type HttpTransport } from '../../kube/index.ts'

const EVERY_MS = 5_000

export interface ClusterReport {
  readonly client: Client
  readonly service: Service
  readonly check: Check
}

/** Its version. A cluster may come and go; that is no reason to start a process anew. */
export const clusterCheck = (transport: HttpTransport): Check => ({
  name: 'kubernetes',
  required: false,
  async probe(signal) {
    const { status, body } = await transport.send({ method: 'GET', path: '/version', signal, timeoutMs: 5_000 })
    if (status !== 200) throw new Error(`failed to ask the cluster for its version: it answered ${status}`)
    return (body as { gitVersion: string }).gitVersion
  },
})

/** Tells the board how the cluster is: its version and nodes, or why it cannot be asked. */
export function clusterReport(
  transport: HttpTransport,
  origin: 'local' | 'external',
  board: StatusBoard,
  clock: Clock,
): ClusterReport {
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const check = clusterCheck(transport)
  const look = async (signal: AbortSignal): Promise<void> => {
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
    service: service('cluster report', async (signal, ready) => {
      for (; !signal.aborted; await sleep(clock, EVERY_MS, signal).catch(() => {})) {
        await look(signal).catch((error: unknown) => {
          if (!signal.aborted)
            board.component('kubernetes', { health: 'down', message: messageOf(error), version: null })
        })
        ready()
      }
    }),
  }
}
