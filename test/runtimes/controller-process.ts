import type { RuntimesControllerOptions, RuntimesSettings } from '../../src/domains/runtimes/index.ts'
import { startAll } from '../../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, type KubeRequest, type Transport } from '../../src/kube/index.ts'
import { openController, SETTINGS } from './parts.ts'

/* A controller in a process of its own, so that a test can kill it. */

/** The request at which the process stands still. */
export interface StopAt {
  readonly when: 'before' | 'after'
  readonly method: KubeRequest['method']
  /** A regular expression. */
  readonly path: string
  readonly fieldManager?: string
}

/** Everything that it needs to know to find its world. */
export interface ControllerPlace {
  readonly kubeconfig: string
  readonly namespace: string
  readonly instance: string
  readonly settings?: RuntimesSettings
  readonly leader?: NonNullable<RuntimesControllerOptions['leader']>
  readonly stopAt?: StopAt
}

const place = JSON.parse(process.argv[2] ?? '{}') as ControllerPlace
const { namespace, instance, settings = SETTINGS, leader, stopAt } = place
const transport = stoppingAt(httpTransport(await loadKubeConfig({ path: place.kubeconfig })), stopAt)
await startAll(
  openController(transport, { namespaces: [namespace], instance, settings, ...(leader && { leader }) }).services,
)

function stoppingAt(inner: Transport, at: StopAt | undefined): Transport {
  if (at === undefined) return inner
  const path = new RegExp(at.path)
  const isIt = (request: KubeRequest): boolean =>
    request.method === at.method &&
    path.test(request.path) &&
    (at.fieldManager === undefined || request.query?.['fieldManager'] === at.fieldManager)
  const standStill = (): Promise<never> => {
    process.stdout.write('reached\n')
    return new Promise(() => {})
  }
  return {
    async send(request) {
      if (!isIt(request)) return inner.send(request)
      if (at.when === 'before') return standStill()
      await inner.send(request)
      return standStill()
    },
    stream: (request) => inner.stream(request),
  }
}
