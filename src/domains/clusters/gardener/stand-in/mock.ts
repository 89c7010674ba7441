import { aborted, service, type Clock, type Emitter, type Random, type Service } from '../../../../kernel/index.ts'
import {
  errorOf,
  makeClient,
  Namespace,
  withFaults,
  type Client,
  type KubeRequest,
  type KubeResponse,
  type Transport,
  type WatchEvents,
} from '../../../../kube/index.ts'
import { FakeKubernetes, type Json } from '../../../../kube/fake/index.ts'
import { projectOfNamespace } from '../../shoot/names.ts'
import {
  CloudProfiles,
  CredentialsBindings,
  Projects,
  Shoots,
  type CloudProfile,
  type CredentialsBinding,
  type Project,
} from '../resources.ts'
import type { Shoot } from '../shoot.ts'
import { gardenerAdmission } from './admission.ts'
import { gardenDefinitions } from './definitions.ts'
import { gardenlet, type Gardenlet } from './gardenlet.ts'
import type { Pace } from './life.ts'
import { demoCredentials, demoProfile, GARDEN, projectDraft } from './landscape.ts'
import { projectController } from './project-controller.ts'

export interface MockGardenOptions {
  readonly clock: Clock
  readonly random: Random
  readonly emitter: Emitter<WatchEvents>
  readonly pace?: Partial<Pace>
  /** From the creation of a project to its namespace. @default 1_000 */
  readonly namespaceAfterMs?: number
  /** A namespace of Shoots that exists from the beginning, with its project and credentials. */
  readonly namespace?: string
  /** Keeps the garden between restarts. */
  readonly keep?: GardenKeep
  /** The kubeconfig of the API server behind a Shoot. @default one that leads nowhere */
  readonly kubeconfigOf?: (shoot: Shoot) => string
  readonly onError?: (error: unknown) => void
}

export interface GardenKeep {
  /** What was saved last. */
  load(): Promise<string | undefined>
  save(text: string): Promise<void>
}

/** An answer of Gardener's API that a test or a person asks for. */
export interface InjectedError {
  readonly status: number
  readonly reason?: string
  readonly message: string
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete'

/** A garden in memory: an API server with Gardener's kinds and admission, and stand-ins for its controllers. */
export interface MockGarden {
  /** To the API, with the injected errors. */
  readonly transport: Transport
  /** Of an operator of the garden, without injected errors. */
  readonly operator: Client
  readonly gardenlet: Gardenlet
  /** In the order in which they start. */
  readonly services: readonly Service[]
  /** The next request of this kind is answered with the error. */
  failNext(verb: Verb, error: InjectedError): void
  /** The API is unreachable until `up`. */
  down(): void
  up(): void
}

/** How many changes the server remembers for watches that reconnect. */
const HISTORY = 5_000
const SAVE_AFTER_MS = 1_000
/** The kinds that are kept between restarts; the landscape is made anew. */
const KEPT = [{ group: '', plural: 'namespaces' }, Projects, CredentialsBindings, Shoots]
const ALWAYS_THERE = new Set(['default', 'kube-system', GARDEN])

export async function openMockGarden(options: MockGardenOptions): Promise<MockGarden> {
  const { clock, random, emitter, keep, onError = () => {} } = options
  const kept = await keep?.load()
  const objects = kept === undefined ? [] : (JSON.parse(kept) as object[])
  const named = <T>(plural: { readonly group: string; readonly plural: string }, is: (object: T) => boolean) =>
    (fake.peek(plural) as unknown as readonly T[]).find(is)
  const admission = gardenerAdmission({
    profile: (name) => named<CloudProfile>(CloudProfiles, ({ metadata }) => metadata.name === name),
    project: (namespace) => named<Project>(Projects, ({ spec }) => spec?.namespace === namespace),
    binding: (namespace, name) =>
      named<CredentialsBinding>(
        CredentialsBindings,
        ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
      ),
    now: () => clock.now(),
  })
  const fake = new FakeKubernetes({
    clock,
    random,
    definitions: gardenDefinitions,
    namespaces: [GARDEN],
    objects,
    plugin: admission,
  })

  const inner = fake.transport()
  let writes = 0
  let onWrite = (): void => {}
  /** All writes pass here, those of the stand-ins too. */
  const served: Transport = {
    ...inner,
    async send(request) {
      const answer = answerOf(request) ?? (await inner.send(request))
      if (request.method === 'GET' || answer.status >= 300) return answer
      if (++writes % HISTORY === 0) fake.compact()
      onWrite()
      return answer
    },
  }

  function answerOf({ method, path, body }: KubeRequest): KubeResponse | undefined {
    const [, namespace, name] = /\/namespaces\/([^/]+)\/shoots\/([^/]+)\/adminkubeconfig$/.exec(path) ?? []
    if (method !== 'POST' || name === undefined) return undefined
    const shoot = named<Shoot>(Shoots, ({ metadata }) => metadata.namespace === namespace && metadata.name === name)
    if (shoot === undefined) return undefined
    if ((shoot.status?.advertisedAddresses ?? []).length > 0) return kubeconfigAnswer(shoot, body as Json)
    const why = 'no suitable advertised address for kube-apiserver found in .status.advertisedAddresses'
    const message = `AdminKubeconfigRequest.authentication.gardener.cloud "${name}" is invalid: status.status: Invalid value: null: ${why}`
    return {
      status: 422,
      headers: {},
      body: { kind: 'Status', status: 'Failure', reason: 'Invalid', message, code: 422 },
    }
  }

  function kubeconfigAnswer(shoot: Shoot, request: Json): KubeResponse {
    const { expirationSeconds = 3600 } = (request['spec'] ?? {}) as { readonly expirationSeconds?: number }
    const kubeconfig = (options.kubeconfigOf ?? nowhere)(shoot)
    const status = {
      kubeconfig: Buffer.from(kubeconfig).toString('base64'),
      expirationTimestamp: new Date(clock.now() + expirationSeconds * 1000).toISOString(),
    }
    return { status: 201, headers: {}, body: { ...request, status } }
  }

  const standIn = makeClient(served, { fieldManager: 'gardenlet' })
  const operator = makeClient(served, { fieldManager: 'operator' })
  const common = { client: standIn, clock, emitter, random, onError }
  const lets = gardenlet({
    ...common,
    ...(options.pace && { pace: options.pace }),
    extraStatus: async (shoot) => ({ advertisedAddresses: [{ name: 'external', url: addressOf(shoot) }] }),
  })
  const projects = projectController({ ...common, delayMs: options.namespaceAfterMs ?? 1_000 })

  await operator.create(CloudProfiles, demoProfile)
  await operator.create(CredentialsBindings, demoCredentials)
  if (options.namespace !== undefined) await seedNamespace(operator, options.namespace)

  const snapshot = (): string =>
    JSON.stringify(
      KEPT.flatMap((kind) => fake.peek(kind)).filter((object) => {
        const { metadata } = object as { readonly metadata: { readonly name: string; readonly namespace?: string } }
        return !ALWAYS_THERE.has(metadata.namespace ?? metadata.name)
      }),
    )
  const saving = keep && savingService(keep, clock, snapshot, onError)
  if (saving !== undefined) onWrite = saving.wake

  const faults = injectable(served, () => fake.breakWatches())
  return {
    transport: faults.transport,
    operator,
    gardenlet: lets,
    services: [...(saving === undefined ? [] : [saving.service]), projects, lets],
    failNext: faults.failNext,
    down: faults.down,
    up: faults.up,
  }
}

/** A namespace with its project and credentials, unless they were kept. */
async function seedNamespace(operator: Client, namespace: string): Promise<void> {
  const name = projectOfNamespace(namespace)
  if ((await operator.get(Projects, { name })) === undefined)
    await operator.create(Projects, projectDraft(name, namespace))
  await operator.apply(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await operator.apply(CredentialsBindings, {
    ...demoCredentials,
    metadata: { name: demoCredentials.metadata.name, namespace },
  })
}

const addressOf = ({ metadata }: Shoot): string => `https://api.${metadata.name}.mock.invalid`

const nowhere = (shoot: Shoot): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'mock', cluster: { server: addressOf(shoot) } }],
    users: [{ name: 'mock', user: { token: 'mock' } }],
    contexts: [{ name: 'mock', context: { cluster: 'mock', user: 'mock' } }],
    'current-context': 'mock',
  })

/** Writes the garden a while after its last change, and once more at the end. */
function savingService(
  keep: GardenKeep,
  clock: Clock,
  snapshot: () => string,
  onError: (error: unknown) => void,
): { readonly service: Service; readonly wake: () => void } {
  let cancel: (() => void) | undefined
  let isChanged = false
  let last = Promise.resolve()
  const save = (): Promise<void> => {
    cancel = undefined
    isChanged = false
    last = last.then(() => keep.save(snapshot())).catch(onError)
    return last
  }
  return {
    wake() {
      isChanged = true
      cancel ??= clock.after(SAVE_AFTER_MS, () => void save())
    },
    service: service('state of the mock garden', async (signal, ready) => {
      ready()
      await aborted(signal)
      cancel?.()
      await (isChanged ? save() : last)
    }),
  }
}

function injectable(inner: Transport, breakWatches: () => void) {
  const errors: { readonly verb: Verb; readonly error: InjectedError }[] = []
  let isDown = false
  const refusal = (request: KubeRequest): KubeResponse | undefined => {
    const verb = verbOf(request)
    const index = errors.findIndex((one) => one.verb === verb)
    const { error } = errors[index] ?? {}
    if (error === undefined) return undefined
    errors.splice(index, 1)
    const { status: code, reason = '', message } = error
    return {
      status: code,
      headers: {},
      body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
    }
  }
  const answering: Transport = {
    ...inner,
    send: async (request) => refusal(request) ?? inner.send(request),
    async *stream(request) {
      const refused = refusal(request)
      if (refused !== undefined) throw errorOf(`watch ${request.path}`, refused)
      yield* inner.stream(request)
    },
  }
  const transport = withFaults(answering, () => (isDown ? { fault: 'lost' } : undefined))
  return {
    transport,
    failNext: (verb: Verb, error: InjectedError) => void errors.push({ verb, error }),
    down: () => {
      isDown = true
      breakWatches()
    },
    up: () => void (isDown = false),
  }
}

const VERBS = { POST: 'create', PUT: 'patch', PATCH: 'patch', DELETE: 'delete' } as const

function verbOf({ method, path, query }: KubeRequest): Verb {
  if (method !== 'GET') return VERBS[method]
  if (query?.['watch'] !== undefined) return 'watch'
  return /\/(?:shoots|projects|cloudprofiles|credentialsbindings)$/.test(path) ? 'list' : 'get'
}
