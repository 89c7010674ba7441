import { aborted, service, type Clock, type Emitter, type Random, type Service } from '../../../../kernel/index.ts'
import {
  cache,
  isAlreadyExists,
  isConflict,
  isNotFound,
  Namespace,
  type Client,
  type WatchEvents,
} from '../../../../kube/index.ts'
import { Projects, type Project } from '../resources.ts'

export interface ProjectControllerOptions {
  readonly client: Client
  readonly clock: Clock
  readonly emitter: Emitter<WatchEvents>
  readonly random?: Random
  /** From the creation of a project to its namespace. */
  readonly delayMs: number
  readonly onError?: (error: unknown) => void
}

const FINALIZER = 'gardener'
const AFTER_ERROR_MS = 1_000

/** Stands in for the controller of gardener-controller-manager that gives each Project its namespace. */
export function projectController(options: ProjectControllerOptions): Service {
  const { client, clock, emitter, random, delayMs, onError = () => {} } = options
  const projects = cache({ source: client, clock, emitter, ...(random && { random }) }, { resource: Projects })
  const due = new Map<string, () => void>()

  const plan = (name: string, afterMs: number): void => {
    if (due.has(name)) return
    due.set(
      name,
      clock.after(afterMs, () => {
        due.delete(name)
        void reconcile(name)
      }),
    )
  }

  async function reconcile(name: string): Promise<void> {
    const project = projects.get({ name })
    if (project === undefined || isReady(project)) return
    try {
      projects.wrote(await (project.metadata.deletionTimestamp === undefined ? provide(project) : release(project)))
    } catch (error) {
      if (isNotFound(error)) return
      if (!isConflict(error)) onError(error)
      plan(name, AFTER_ERROR_MS)
    }
  }

  async function provide({ metadata: { name, resourceVersion, finalizers = [] }, spec }: Project): Promise<Project> {
    const namespace = spec?.namespace ?? `garden-${name}`
    const labels = { 'gardener.cloud/role': 'project', 'project.gardener.cloud/name': name }
    await client
      .create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error
      })
    const held = [...new Set([...finalizers, FINALIZER])]
    await client.patch(
      Projects,
      { name },
      {
        merge: { metadata: { resourceVersion, finalizers: held }, spec: { namespace } },
      },
    )
    return client.patchStatus(Projects, { name }, { merge: { status: { phase: 'Ready' } } })
  }

  async function release({ metadata: { name, finalizers = [] }, spec }: Project): Promise<Project> {
    if (spec?.namespace !== undefined) await client.delete(Namespace, { name: spec.namespace })
    return client.patch(
      Projects,
      { name },
      {
        merge: { metadata: { finalizers: finalizers.filter((one) => one !== FINALIZER) } },
      },
    )
  }

  return service('project controller stand-in', async (signal, ready) => {
    const unsubscribe = projects.onChange((change) => {
      if (change.type === 'deleted' || isReady(change.new)) return
      plan(change.new.metadata.name, change.new.metadata.deletionTimestamp === undefined ? delayMs : 0)
    })
    try {
      await Promise.race([projects.start(), aborted(signal)])
      ready()
      await aborted(signal)
    } finally {
      unsubscribe()
      for (const cancel of due.values()) cancel()
      await projects.stop()
    }
  })
}

const isReady = ({ metadata, status }: Project): boolean =>
  metadata.deletionTimestamp === undefined
    ? status?.phase === 'Ready'
    : metadata.finalizers?.includes(FINALIZER) !== true
