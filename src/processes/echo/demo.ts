import type { DemoObjectView } from '../../api/contract/index.ts'
import {
  aborted,
  findCondition,
  messageOf,
  seededRandom,
  service,
  systemClock,
  type Service,
} from '../../kernel/index.ts'
import { installCrd, isAlreadyExists, Namespace } from '../../kube/index.ts'
import type { ApiHost, UpHost } from '../domain.ts'
import { Echo, echoController } from '../../../examples/echo/index.ts'
import { instanceName } from '../shared/instance.ts'

const NAMESPACE = 'caelus-demo'

const GREETINGS = { hello: 'Hello from Caelus', goodbye: 'Change me, or delete my ConfigMap, and watch it come back' }

/**
 * The built-in example: two Echo resources whose controller keeps a ConfigMap for each. Returns the services
 * to start. The results are on the status board, in the decisions and in kubectl.
 */
export async function echoDemo(
  { emitter, decisions, board, log }: ApiHost,
  { transport, client }: UpHost,
): Promise<Service[]> {
  await installCrd(client, Echo)
  await ignoringExisting(
    client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }),
  )
  for (const [name, message] of Object.entries(GREETINGS)) {
    const metadata = { name, namespace: NAMESPACE }
    const echo = { apiVersion: 'bench.example/v1', kind: 'Echo', metadata, spec: { message } } as const
    await ignoringExisting(client.create(Echo, echo))
  }
  const { services } = echoController({
    transport,
    clock: systemClock,
    random: seededRandom(Date.now()),
    instance: instanceName(),
    emitter,
    decisions,
  })

  const report = async (): Promise<void> => {
    const echoes = await client.list(Echo, { namespace: NAMESPACE })
    board.demo(
      echoes.map(({ metadata, status }): DemoObjectView => {
        const ready = findCondition(status?.conditions ?? [], 'Ready')
        return {
          kind: Echo.kind,
          id: `${metadata.namespace}/${metadata.name}`,
          ready: ready?.status ?? 'Unknown',
          reason: ready?.reason ?? 'New',
          message: ready?.message ?? 'not reconciled yet',
          since: ready?.lastTransitionTime ?? metadata.creationTimestamp ?? new Date().toISOString(),
        }
      }),
    )
  }
  const reporter = service('demo report', async (signal, ready) => {
    const look = (): Promise<void> =>
      report().catch((error: unknown) => log.warn({ failure: messageOf(error) }, 'Demo report failed'))
    const stop = emitter.on('reconcile:end', ({ controller }) => {
      if (controller === 'echo') void look()
    })
    await look()
    ready()
    await aborted(signal)
    stop()
  })
  return [reporter, ...services]
}

async function ignoringExisting(created: Promise<unknown>): Promise<void> {
  await created.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
}
