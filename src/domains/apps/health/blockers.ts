import {
  APIService,
  type Client,
  type CoreV1,
  type Discovery,
  type KubeObject,
  type ServedResource,
} from '../../../kube/index.ts'
import type { Blocker } from '../observed.ts'

/** Enough to act on; the rest of a thousand is seen when these are gone. */
const MOST = 20
const AT_ONCE = 8

/** What keeps a terminating namespace from going, most telling first: dead APIs and webhooks, then objects, then itself. */
export async function blockersOf(
  client: Client,
  discovery: Discovery,
  namespace: CoreV1.Namespace,
  signal?: AbortSignal,
): Promise<Blocker[]> {
  const conditions = (namespace.status?.conditions ?? []).filter(({ status }) => status === 'True')
  const messageOf = (type: string): string => conditions.find((one) => one.type === type)?.message ?? ''
  const discoveryTrouble = messageOf('NamespaceDeletionDiscoveryFailure')
  const apis = discoveryTrouble === '' ? [] : await deadApis(client, discoveryTrouble, signal)
  const webhooks = webhooksIn(messageOf('NamespaceDeletionContentFailure'))
  const held = await heldObjects(client, discovery, namespace.metadata.name, signal)
  // Without the right to read them only their kinds are known: rights in a namespace are removed before its other objects.
  const objects = held.length > 0 ? held : heldKinds(messageOf)
  const own = (namespace.metadata.finalizers ?? []).map((finalizer): Blocker => ({
    kind: 'namespace',
    name: `Namespace ${namespace.metadata.name}`,
    finalizer,
    why: 'its owner has not removed it',
  }))
  return [...apis, ...webhooks, ...objects, ...own].slice(0, MOST)
}

/** As the controller of namespaces tells it: `Some resources are remaining: widgets.example.com has 2 resource instances`. */
function heldKinds(messageOf: (type: string) => string): Blocker[] {
  const kinds = Array.from(
    messageOf('NamespaceContentRemaining').matchAll(/([a-z0-9.-]+?)\.? has (\d+) resource instances/g),
    ([, name = '', count = '']) => `${count} ${name}`,
  )
  const finalizers = Array.from(
    messageOf('NamespaceFinalizersRemaining').matchAll(/(\S+) in \d+ resource instances/g),
    ([, finalizer = '']) => finalizer,
  )
  if (kinds.length === 0 || finalizers.length === 0) return []
  return finalizers.map((finalizer) => ({
    kind: 'object',
    name: kinds.join(', '),
    finalizer,
    why: 'its owner has not removed it',
  }))
}

async function deadApis(client: Client, said: string, signal?: AbortSignal): Promise<Blocker[]> {
  const services = await client.list(APIService, {}, signal)
  const dead = services.flatMap(({ metadata, status }): Blocker[] => {
    const available = status?.conditions?.find(({ type }) => type === 'Available')
    if (available?.status !== 'False') return []
    return [{ kind: 'apiService', name: metadata.name, why: available.message ?? 'it does not answer' }]
  })
  return dead.length > 0 ? dead : [{ kind: 'apiService', name: 'an API', why: said }]
}

const webhooksIn = (said: string): Blocker[] =>
  Array.from(said.matchAll(/failed calling webhook "([^"]+)": ([^,;]*)/g), ([, name = '', why = '']) => ({
    kind: 'webhook',
    name,
    why,
  }))

/** Objects that are going and wait for a finalizer. Reads metadata alone, of every kind that can be listed. */
async function heldObjects(
  client: Client,
  discovery: Discovery,
  namespace: string,
  signal?: AbortSignal,
): Promise<Blocker[]> {
  const kinds = (await discovery.all()).filter(({ namespaced, verbs }) => namespaced && verbs.includes('list'))
  const found: Blocker[] = []
  for (let from = 0; from < kinds.length && found.length < MOST; from += AT_ONCE) {
    const some = kinds.slice(from, from + AT_ONCE)
    const lists = await Promise.all(some.map((resource) => going(client, resource, namespace, signal)))
    found.push(...lists.flat())
  }
  return found
}

async function going(
  client: Client,
  resource: ServedResource,
  namespace: string,
  signal?: AbortSignal,
): Promise<Blocker[]> {
  const options = { namespace, limit: MOST, metadataOnly: true }
  // One API that does not answer must not hide what the others hold.
  const page = await client.listPage<KubeObject>(resource, options, signal).catch(() => undefined)
  return (page?.items ?? []).flatMap(({ metadata }) => {
    if (metadata.deletionTimestamp === undefined) return []
    return (metadata.finalizers ?? []).map((finalizer) => ({
      kind: 'object' as const,
      name: `${resource.kind} ${metadata.name}`,
      finalizer,
      why: 'its owner has not removed it',
    }))
  })
}
