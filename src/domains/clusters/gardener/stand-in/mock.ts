import type { Clock, Emitter, Random, Service } from '../../../../kernel/index.ts'
import {
  makeClient,
  Namespace,
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
import { injectable, type Injectable } from './injected.ts'
import type { Pace } from './life.ts'
import { demoCredentials, demoProfile, GARDEN, projectDraft } from './landscape.ts'
import { projectController } from './project-controller.ts'
import { savingService, type GardenKeep } from './saving.ts'

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

/** A garden in memory: an API server with Gardener's kinds and admission, and stand-ins for its controllers. */
export interface MockGarden extends Injectable {
  /** Of an operator of the garden, without injected errors. */
  readonly operator: Client
  readonly gardenlet: Gardenlet
  /** In the order in which they start. */
  readonly services: readonly Service[]
}

/** How many changes the server remembers for watches that reconnect. */
const HISTORY = 5_000
/** The kinds that are kept between restarts; the landscape is made anew. */
const KEPT = [{ group: '', plural: 'namespaces' }, Projects, CredentialsBindings, Shoots]
const ALWAYS_THERE = new Set(['default', 'kube-system', GARDEN])

export async function openMockGarden(options: MockGardenOptions): Promise<MockGarden> {
  const { clock, random, emitter, keep, onError = () => {} } = options
  const objects = keptObjects(await keep?.load())
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
    publish: async (shoot) => ({ advertisedAddresses: [{ name: 'external', url: addressOf(shoot) }] }),
  })
  const projects = projectController({ ...common, delayMs: options.namespaceAfterMs ?? 1_000 })

  await operator.create(CloudProfiles, demoProfile)
  await operator.create(CredentialsBindings, demoCredentials)
  await operator.create(Projects, projectDraft(GARDEN, GARDEN))
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

  return {
    ...injectable(served, () => fake.breakWatches()),
    operator,
    gardenlet: lets,
    services: [...(saving === undefined ? [] : [saving.service]), projects, lets],
  }
}

function keptObjects(text: string | undefined): readonly object[] {
  if (text === undefined) return []
  try {
    return JSON.parse(text) as readonly object[]
  } catch (error) {
    throw new Error('failed to read the kept state of the mock garden; remove it to begin with an empty one', {
      cause: error,
    })
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
