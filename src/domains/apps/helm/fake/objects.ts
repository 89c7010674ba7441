import { at as atOf, type Client, type KubeObject, type Resource } from '../../../../kube/index.ts'
import { raise } from '../../failures.ts'
import type { Kinds } from '../manifest.ts'
import type { ReleaseTarget } from '../port.ts'

/** The objects of one release on the server, treated as Helm treats them. */
export class Objects {
  readonly #client: Client
  readonly #target: ReleaseTarget
  readonly #kinds: Kinds

  constructor(client: Client, target: ReleaseTarget, kinds: Kinds) {
    this.#client = client
    this.#target = target
    this.#kinds = kinds
  }

  /** Never takes over what another release, or nobody, made. */
  async apply(object: KubeObject, force: boolean): Promise<void> {
    const resource = await this.#resource(object)
    const live = await this.#client.get(resource, atOf(object))
    const owner = live?.metadata.annotations?.['meta.helm.sh/release-name']
    if (live !== undefined && owner !== this.#target.release) {
      throw raise.ObjectTaken(
        `unable to continue with install: ${object.kind} "${object.metadata.name}" exists and cannot be imported into the current release: invalid ownership metadata`,
      )
    }
    await this.#client.apply(resource, object, { fieldManager: 'helm', force })
  }

  /** Deletes those of `old` that `wanted` no longer has, but for the ones that now say that they want to stay. */
  async removeDropped(old: readonly KubeObject[], wanted: readonly KubeObject[]): Promise<void> {
    const kept = new Set(wanted.map(nameOf))
    for (const object of old.filter((one) => !kept.has(nameOf(one)))) {
      const resource = await this.#resource(object)
      const live = await this.#client.get(resource, atOf(object))
      if (live !== undefined && !wantsToStay(live)) await this.#delete(resource, object)
    }
  }

  /** Deletes all of them, but for the ones that the chart wants to stay. */
  async removeAll(objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects.toReversed()) {
      if (!wantsToStay(object)) await this.#delete(await this.#resource(object), object)
    }
  }

  async #delete(resource: Resource, object: KubeObject): Promise<void> {
    await this.#client.delete(resource, atOf(object), { propagation: 'Background' })
  }

  async #resource({ apiVersion, kind }: KubeObject): Promise<Resource> {
    const resource = await this.#kinds.resourceFor(apiVersion, kind)
    if (resource === undefined) throw raise.KindUnknown(`no matches for kind "${kind}" in version "${apiVersion}"`)
    return resource
  }
}

const wantsToStay = ({ metadata }: KubeObject): boolean => metadata.annotations?.['helm.sh/resource-policy'] === 'keep'

const nameOf = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `${apiVersion.split('/').toReversed()[1] ?? ''}/${kind}/${metadata.namespace ?? ''}/${metadata.name}`
