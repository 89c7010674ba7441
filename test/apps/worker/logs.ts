import { Pod, type Client, type CoreV1, type Transport } from '../../../src/kube/index.ts'

/* What kubelets say and the simulated nodes do not: that a container ended, and its log. */

/** Answers for the kubelet when a log is read. */
export const withLogs =
  (log: string) =>
  (transport: Transport): Transport => ({
    ...transport,
    send: (request) =>
      /\/pods\/[^/]+\/log$/.test(request.path)
        ? Promise.resolve({ status: 200, headers: {}, body: log })
        : transport.send(request),
  })

/** Has the pod say that its container is in this state. */
export async function reportState(
  client: Client,
  { metadata: { namespace = '', name }, spec }: CoreV1.Pod,
  status: {
    readonly phase?: string
    readonly state: CoreV1.ContainerState
    readonly lastState?: CoreV1.ContainerState
  },
): Promise<void> {
  const { phase, ...states } = status
  const container = spec?.containers[0]?.name ?? ''
  const containerStatuses = [{ name: container, image: '', imageID: '', ready: false, restartCount: 3, ...states }]
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'False' }))
  const patch = { strategic: { status: { ...(phase !== undefined && { phase }), containerStatuses, conditions } } }
  await client.patchStatus(Pod, { namespace, name }, patch)
}
