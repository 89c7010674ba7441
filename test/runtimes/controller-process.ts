import type { RuntimesControllerOptions, RuntimesSettings } from '../../src/domains/runtimes/index.ts'
import { startAll } from '../../src/kernel/index.ts'
import {
  httpTransport,
  kubeLocks,
  loadKubeConfig,
  makeClient,
  type KubeRequest,
  type KubeResponse,
  type Transport,
} from '../../src/kube/index.ts'
import { openController, SETTINGS } from './parts.ts'

/* A controller in a process of its own, so that a test can kill it. */

/** The request at which the process stops making progress. */
export interface StopAt {
  /** `paused`: SIGSTOP before the request is sent; after SIGCONT the process prints the outcome of its writes. */
  readonly when: 'before' | 'after' | 'paused'
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
  /** Whether it respects the locks of other domains, kept in its namespace. */
  readonly isLocking?: boolean
  readonly stopAt?: StopAt
}

const place = JSON.parse(process.argv[2] ?? '{}') as ControllerPlace
const { namespace, instance, settings = SETTINGS, leader, isLocking = false, stopAt } = place
const transport = stoppingAt(httpTransport(await loadKubeConfig({ path: place.kubeconfig })), stopAt)
const locks = kubeLocks({ client: makeClient(transport, { fieldManager: 'caelus' }), namespace })
const controller = openController(transport, {
  namespaces: [namespace],
  instance,
  settings,
  ...(leader && { leader }),
  ...(isLocking && { locks }),
})
await startAll(controller.services)

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
  let wasPaused = false
  return {
    async send(request) {
      if (wasPaused && isEffect(request)) return reported(inner, request)
      if (!isIt(request)) return inner.send(request)
      if (at.when === 'before') return standStill()
      if (at.when === 'paused') {
        wasPaused = true
        process.stdout.write('reached\n')
        process.kill(process.pid, 'SIGSTOP')
        // The signal may take a moment to stop every thread.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
        // Without its signal, as if it had been handed to a connection before the pause: only the guard can refuse it.
        const { signal: _, ...sent } = request
        return reported(inner, sent)
      }
      await inner.send(request)
      return standStill()
    },
    stream: (request) => inner.stream(request),
  }
}

const isEffect = ({ method, path }: KubeRequest): boolean => method !== 'GET' && !path.includes('/leases')

async function reported(inner: Transport, request: KubeRequest): Promise<KubeResponse> {
  const told = (outcome: string): boolean => process.stdout.write(`${outcome} ${request.method} ${request.path}\n`)
  try {
    const response = await inner.send(request)
    told('wrote')
    return response
  } catch (error) {
    told('refused')
    throw error
  }
}
