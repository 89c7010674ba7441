import { systemClock, type Clock } from '../../kernel/index.ts'
import { errorOf } from '../errors.ts'
import type { Resource } from '../objects.ts'
import type { Transport } from '../transport/transport.ts'

export interface ServedResource extends Resource {
  readonly verbs: readonly string[]
  readonly subresources: readonly string[]
}

/** The resources that the server serves, fetched on first use and cached. */
export interface Discovery {
  /** `undefined`: not served, also after a fresh request. */
  resourceFor(apiVersion: string, kind: string): Promise<ServedResource | undefined>
  all(): Promise<readonly ServedResource[]>
  forget(): void
}

/** The shortest time between two requests for a kind that is not served. */
const MISS_MS = 5_000

/** Preferred first. An old server answers with the plain form, which contains no resources. */
const ACCEPT = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',')

export function discovery(transport: Transport, clock: Clock = systemClock): Discovery {
  let loaded: { readonly at: number; readonly resources: Promise<readonly ServedResource[]> } | undefined

  const load = (): Promise<readonly ServedResource[]> => {
    const resources = Promise.all([served(transport, '/api'), served(transport, '/apis')]).then((lists) => lists.flat())
    resources.catch(() => (loaded = undefined))
    loaded = { at: clock.now(), resources }
    return resources
  }

  return {
    async resourceFor(apiVersion, kind) {
      const [version = '', group = ''] = apiVersion.split('/').toReversed()
      const find = (all: readonly ServedResource[]) =>
        all.find((resource) => resource.group === group && resource.version === version && resource.kind === kind)
      const known = loaded
      const found = find(await (known?.resources ?? load()))
      if (found !== undefined || known === undefined || clock.now() - known.at < MISS_MS) return found
      // A concurrent call may have refreshed the cache.
      return find(await (loaded === known ? load() : (loaded?.resources ?? load())))
    },
    all: () => loaded?.resources ?? load(),
    forget: () => (loaded = undefined),
  }
}

interface GroupDiscovery {
  readonly metadata?: { readonly name?: string }
  readonly versions: ReadonlyArray<{
    readonly version: string
    readonly resources?: ReadonlyArray<{
      readonly resource: string
      readonly responseKind: { readonly kind: string }
      readonly scope: 'Namespaced' | 'Cluster'
      readonly verbs: readonly string[]
      readonly subresources?: ReadonlyArray<{ readonly subresource: string }>
    }>
  }>
}

async function served(transport: Transport, path: '/api' | '/apis'): Promise<readonly ServedResource[]> {
  const body = await read(transport, path, `${ACCEPT},application/json`)
  const { kind, items, groups, versions } = body as {
    kind: string
    items?: readonly GroupDiscovery[]
    groups?: ReadonlyArray<{ versions: ReadonlyArray<{ groupVersion: string }> }>
    versions?: readonly string[]
  }
  if (kind === 'APIGroupDiscoveryList') return (items ?? []).flatMap(inGroup)
  const groupVersions =
    versions ?? (groups ?? []).flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion))
  return (await Promise.all(groupVersions.map((groupVersion) => inVersion(transport, path, groupVersion)))).flat()
}

const inGroup = ({ metadata, versions }: GroupDiscovery): ServedResource[] =>
  versions.flatMap(({ version, resources = [] }) =>
    resources.map(({ resource, responseKind, scope, verbs, subresources = [] }) => ({
      group: metadata?.name ?? '',
      version,
      kind: responseKind.kind,
      plural: resource,
      namespaced: scope === 'Namespaced',
      verbs,
      subresources: subresources.map(({ subresource }) => subresource),
    })),
  )

async function inVersion(transport: Transport, root: string, groupVersion: string): Promise<ServedResource[]> {
  const { resources } = (await read(transport, `${root}/${groupVersion}`, 'application/json')) as {
    resources: ReadonlyArray<{ name: string; kind: string; namespaced: boolean; verbs: readonly string[] }>
  }
  const [version = '', group = ''] = groupVersion.split('/').toReversed()
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs }) => {
      const below = resources.filter((other) => other.name.startsWith(`${name}/`))
      const subresources = below.map((other) => other.name.slice(name.length + 1))
      return { group, version, kind, plural: name, namespaced, verbs, subresources }
    })
}

async function read(transport: Transport, path: string, accept: string): Promise<unknown> {
  const response = await transport.send({ method: 'GET', path, accept })
  if (response.status >= 300) throw errorOf('learn what the API server serves', response)
  return response.body
}
