import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { inject, vi } from 'vitest'
import { ClassRuntime, type ClassRuntimeSpec, type FunctionSpec, type Phase } from '../../src/domains/runtimes/index.ts'
import { startAll } from '../../src/kernel/index.ts'
import {
  at,
  compareVersions,
  Event,
  httpTransport,
  installCrd,
  isNotFound,
  loadKubeConfig,
  makeClient,
  type Client,
  type KubeObject,
  type Resource,
  type Transport,
} from '../../src/kube/index.ts'
import { kill } from '../support/kill.ts'
import { freshNamespace, testTransport } from '../support/kube.ts'
import { builtProgram } from '../support/programs.ts'
import { openController, type ControllerInput, type OpenController } from './parts.ts'
import type { ControllerPlace } from './controller-process.ts'
import { installForeignKinds } from './optional-kinds.ts'

/** Longer than anything takes on a busy machine; a test that waits this long has failed. */
export const PATIENCE_MS = 90_000

export interface Running extends OpenController {
  stop(): Promise<void>
}

/** A controller in a process of its own. */
export interface Killable {
  /** Resolves when it has stopped at the request it was given. */
  readonly reached: Promise<void>
  /** What it printed about its writes after a pause. */
  readonly lines: readonly string[]
  /** Ends its pause. */
  proceed(): void
  kill(): Promise<void>
}

let kindsOfRun: Promise<void> | undefined

/** Before any controller starts: a kind that comes later would wake the controllers of a test. */
async function installKinds(client: Client): Promise<void> {
  await installCrd(client, ClassRuntime)
  await installForeignKinds(client)
}

/**
 * Without a controller the runtimes of a namespace would stay for ever, and with them the namespace: Kubernetes tries to
 * delete each such namespace once a minute, which takes a tenth of a CPU second.
 */
async function removeFinalizers(client: Client, namespace: string): Promise<void> {
  const runtimes = await client.list(ClassRuntime, { namespace })
  const merge = { metadata: { finalizers: null } }
  for (const runtime of runtimes) {
    await client.patch(ClassRuntime, at(runtime), { merge }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  }
}

/** A namespace of the control plane of this run, with controllers that look at nothing else. */
export class RuntimesWorld implements AsyncDisposable {
  readonly client: Client
  readonly namespace: string
  readonly transport: Transport
  readonly #ending: (() => Promise<unknown>)[]
  #controllers = 0

  private constructor(transport: Transport, client: Client, namespace: string, ending: (() => Promise<unknown>)[]) {
    this.transport = transport
    this.client = client
    this.namespace = namespace
    this.#ending = ending
  }

  /** On the control plane of this run, or on one of its own, which knows our kind alone. */
  static async make(kubeconfig?: string): Promise<RuntimesWorld> {
    const transport =
      kubeconfig === undefined ? await testTransport() : httpTransport(await loadKubeConfig({ path: kubeconfig }))
    const client = makeClient(transport, { fieldManager: 'user' })
    await (kubeconfig === undefined ? (kindsOfRun ??= installKinds(client)) : installCrd(client, ClassRuntime))
    const namespace = await freshNamespace(client)
    const ending = [
      () => transport.close(),
      async () => namespace[Symbol.asyncDispose](),
      () => removeFinalizers(client, namespace.name),
    ]
    return new RuntimesWorld(transport, client, namespace.name, ending)
  }

  /** Starts a controller in this process. */
  async controller(
    input: ControllerInput = {},
    through: (transport: Transport) => Transport = (transport) => transport,
  ): Promise<Running> {
    const instance = `here-${++this.#controllers}`
    const made = openController(through(this.transport), { namespaces: [this.namespace], instance, ...input })
    const stop = await startAll(made.services)
    this.#ending.push(stop)
    return { ...made, stop }
  }

  /** Starts a controller in a process of its own, which stands still before or after a request of its own. */
  async process(place: Omit<ControllerPlace, 'kubeconfig' | 'namespace' | 'instance'> = {}): Promise<Killable> {
    const instance = `process-${++this.#controllers}`
    const all: ControllerPlace = { kubeconfig: inject('kubeconfig'), namespace: this.namespace, instance, ...place }
    const child = spawn(process.execPath, [builtProgram('test/runtimes/controller-process'), JSON.stringify(all)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child, 'spawn')
    const lines: string[] = []
    const stopped = Promise.withResolvers<void>()
    stopped.promise.catch(() => {})
    createInterface(child.stdout)
      .on('line', (line) => (line === 'reached' ? stopped.resolve() : lines.push(line)))
      .on('close', () => stopped.reject(new Error('the process ended before the request at which it was to stop')))
    this.#ending.push(() => kill(child))
    return { reached: stopped.promise, lines, proceed: () => child.kill('SIGCONT'), kill: () => kill(child) }
  }

  at(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name }
  }

  /** Creates a runtime of Deployments without ODGM, unless told otherwise. */
  create(name: string, spec: ClassRuntimeSpec = { functions: [fn('hello')] }): Promise<ClassRuntime> {
    return this.client.create(ClassRuntime, {
      apiVersion: 'oaas.io/v1alpha1',
      kind: 'ClassRuntime',
      metadata: this.at(name),
      spec: { selected_template: 'k8s_deployment', addons: [], ...spec },
    })
  }

  async change(name: string, spec: object): Promise<void> {
    await this.client.patch(ClassRuntime, this.at(name), { merge: { spec } })
  }

  async runtime(name: string): Promise<ClassRuntime> {
    const found = await this.client.get(ClassRuntime, this.at(name))
    if (found === undefined) throw new Error(`expected ClassRuntime ${name} to be there`)
    return found
  }

  /** The runtime once it is in this phase for the newest generation. */
  reaches(name: string, phase: Phase, reason?: string): Promise<ClassRuntime> {
    return this.sees(ClassRuntime, name, ({ metadata, status }) => {
      const isCurrent = status?.observed_generation === metadata.generation
      const isBecause = reason === undefined || status?.conditions?.some((one) => one.reason === reason) === true
      return isCurrent && status?.phase === phase && isBecause
    })
  }

  /** The object once it is as expected. */
  async sees<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    isExpected: (object: T) => boolean,
  ): Promise<T> {
    const found = await this.#watched(resource, name, (object) => object !== undefined && isExpected(object))
    return found as T
  }

  async isGone(resource: Resource, name: string): Promise<void> {
    await this.#watched(resource, name, (object) => object === undefined)
  }

  /**
   * Reports every state of an object, beginning with the present one, which it has reported when it resolves. Returns how
   * to stop, which waits until the state of that moment has been reported: this watch may lag behind another one.
   */
  async watches<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    tell: (object: T) => void,
  ): Promise<() => Promise<void>> {
    const over = new AbortController()
    const begun = Promise.withResolvers<void>()
    let told: string | undefined
    const where = { namespace: this.namespace, fields: `metadata.name=${name}` }
    const watching = (async () => {
      for await (const event of this.client.watchEvents(resource, where, over.signal)) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
        tell(event.object)
        told = event.object.metadata.resourceVersion
        begun.resolve()
      }
    })().catch(begun.reject)
    await begun.promise
    return async () => {
      const { resourceVersion: now } = (await this.client.get(resource, this.at(name)))?.metadata ?? {}
      const isTold = () => now === undefined || (compareVersions(told, now) ?? -1) >= 0
      await vi.waitUntil(isTold, { timeout: PATIENCE_MS, interval: 20 })
      over.abort()
      await watching
    }
  }

  /** An Event about some runtime of this namespace; the newest when there are several. */
  async tells(reason: string, note: RegExp = /./): Promise<Event> {
    return vi.waitFor(
      async () => {
        const all = await this.client.list(Event, { namespace: this.namespace })
        const found = all.findLast((event) => event.reason === reason && note.test(event.note ?? ''))
        if (found === undefined) {
          const told = all.map((event) => `${event.reason}: ${event.note}`).join('\n')
          throw new Error(`nobody told ${reason} ${String(note)}, but:\n${told}`)
        }
        return found
      },
      { timeout: PATIENCE_MS, interval: 200 },
    )
  }

  /** All objects of a kind in this namespace, by name. */
  async names(resource: Resource): Promise<string[]> {
    const all = await this.client.list(resource, { namespace: this.namespace })
    return all.map(({ metadata }) => metadata.name).toSorted()
  }

  async #watched<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    isEnough: (object: T | undefined) => boolean,
  ): Promise<T | undefined> {
    const deadline = AbortSignal.timeout(PATIENCE_MS)
    let last: T | undefined
    while (!deadline.aborted) {
      last = await this.client.get(resource, this.at(name))
      if (isEnough(last)) return last
      const where = {
        namespace: this.namespace,
        fields: `metadata.name=${name}`,
        ...(last?.metadata.resourceVersion !== undefined && { resourceVersion: last.metadata.resourceVersion }),
      }
      for await (const event of this.client.watchEvents(resource, where, deadline)) {
        if (event.type === 'BOOKMARK') continue
        if (event.type === 'ERROR') break
        last = event.type === 'DELETED' ? undefined : event.object
        if (isEnough(last)) return last
      }
    }
    const what = last === undefined ? 'it is not there' : JSON.stringify(last)
    throw new Error(`failed to see ${resource.kind} ${name} as expected within ${PATIENCE_MS} ms: ${what}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ending.splice(0).toReversed()) await end()
  }
}

/** A function with an image, and whatever else is asked for. */
export const fn = (key: string, provision: FunctionSpec['provision_config'] = {}, config = {}): FunctionSpec => ({
  function_key: key,
  provision_config: { container_image: 'registry.example/hello:1', ...provision },
  config,
})
