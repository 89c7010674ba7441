import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../../src/kube/index.ts'
import { HelmRelease } from './flux-kinds.ts'

const DEADLINE_MS = 1_200_000

/** Follows all HelmReleases of a namespace. */
export class FluxReleases {
  readonly #client: Client
  readonly #namespace: string
  readonly #abort = new AbortController()
  readonly #current = new Map<string, HelmRelease>()
  /** When each was last seen to become ready. */
  readonly readyAt = new Map<string, number>()
  #changed = Promise.withResolvers<void>()

  constructor(client: Client, namespace: string) {
    this.#client = client
    this.#namespace = namespace
    void this.#follow()
  }

  async #follow(): Promise<void> {
    const options = { namespace: this.#namespace, sendInitialEvents: true }
    try {
      for await (const { type, object } of this.#client.watchEvents(HelmRelease, options, this.#abort.signal)) {
        if (type !== 'ADDED' && type !== 'MODIFIED') continue
        const { name } = object.metadata
        this.#current.set(name, object)
        if (!isReady(object)) this.readyAt.delete(name)
        else if (!this.readyAt.has(name)) this.readyAt.set(name, performance.now())
        this.#changed.resolve()
        this.#changed = Promise.withResolvers()
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error
    }
  }

  async until(what: string, met: () => boolean): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS
    while (!met()) {
      if (performance.now() > deadline) throw new Error(`${what}: not within ${DEADLINE_MS} ms`)
      await Promise.race([this.#changed.promise, delay(1_000)])
    }
  }

  /** Until nothing has changed for a second. */
  async settle(): Promise<void> {
    for (let isQuiet = false; !isQuiet;) {
      isQuiet = await Promise.race([this.#changed.promise.then(() => false), delay(1_000, true)])
    }
  }

  async patch(name: string, merge: object): Promise<void> {
    await this.#client.patch(HelmRelease, { namespace: this.#namespace, name }, { merge })
  }

  /** As `flux reconcile` does. Answers with what the release says once it has done so. */
  async ask(name: string): Promise<string> {
    const token = `${performance.now()}`
    await this.patch(name, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': token } } })
    return token
  }

  hasHandled(name: string, token: string): boolean {
    const found = this.#current.get(name)
    return found?.status?.lastHandledReconcileAt === token && isReady(found)
  }

  stop(): void {
    this.#abort.abort()
  }
}

const isReady = ({ metadata, status }: HelmRelease): boolean =>
  status?.observedGeneration === metadata.generation &&
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')
