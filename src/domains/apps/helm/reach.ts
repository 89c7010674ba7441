import { partsOf, statusObject, type OwnAnswer, type PathParts, type ProxiedRequest } from '../../../kube/index.ts'
import { isJsonObject } from '../values/json.ts'

/** What a call of Helm may see and change. */
export interface Reach {
  /** Absent: nothing of the cluster but which kinds it serves. */
  readonly namespace: string | undefined
  readonly mayWrite: boolean
  /** Cluster-scoped objects that a call which writes may reach besides. @default none */
  readonly cluster?: readonly ClusterReach[]
}

export interface ClusterReach {
  readonly group: string
  readonly plural: string
  readonly name: string
  /** Otherwise it may only be read and deleted. */
  readonly mayChange: boolean
}

export type Verdict =
  | { readonly is: 'forwarded'; readonly creates: string | undefined; readonly writes: boolean }
  /** Of a cluster-scoped object: its content is still to be compared with what was granted. */
  | { readonly is: 'changesCluster' }
  | { readonly is: 'answered'; readonly answer: OwnAnswer }

/** Which kinds there are, and their schemas: public, and the source of `.Capabilities`. */
const DISCOVERY = /^\/(?:version|api|api\/[^/]+|apis|apis\/[^/]+|apis\/[^/]+\/[^/]+|openapi\/v[23](?:\/[^?]*)?)\/?$/

/**
 * Whether a request of Helm is forwarded. The user that it is sent as has rights in the namespaces of all deployments, and
 * a chart chooses what it looks up; so what is not in the namespace of the release is answered here, as if it were not
 * there. The answer is the same for a preview and for an install. The Namespace itself belongs to the platform: a chart
 * that brings it is told so by us, not by Helm, which would call it the object of another release.
 *
 * Objects of the whole cluster that were granted are reached by name where Helm applies or deletes them, and not where it only
 * renders: `lookup` in a preview finds none of them.
 */
export function verdictOf(
  { method, path, query, body }: Pick<ProxiedRequest, 'method' | 'path' | 'query' | 'body'>,
  { namespace, mayWrite, cluster = [] }: Reach,
): Verdict {
  const reads = method === 'GET'
  if (!isPlain(path)) return answered(400, 'BadRequest', 'the path is not one of the API')
  if (DISCOVERY.test(path)) return reads ? FORWARDED : refused(`${method} ${path}`)
  const parts = partsOf(path)
  if (parts === undefined) return refused(`${method} ${path}`)
  if (mayWrite && parts.namespace === undefined && isReached(method, parts, body, cluster)) {
    if (reads) return FORWARDED
    return method === 'DELETE' ? { is: 'forwarded', writes: true, creates: undefined } : { is: 'changesCluster' }
  }
  if (namespace === undefined || parts.namespace !== namespace) {
    return reads || method === 'DELETE' ? notThere(parts, query.get('watch')) : refused(`${method} of ${textOf(parts)}`)
  }
  if (reads) return FORWARDED
  if (!mayWrite) return refused(`${method} of ${textOf(parts)}`)
  return { is: 'forwarded', writes: true, creates: method === 'POST' && !parts.name ? parts.plural : undefined }
}

const FORWARDED: Verdict = { is: 'forwarded', creates: undefined, writes: false }

function isReached(
  method: string,
  { group, plural, name, subresource }: PathParts,
  body: Buffer,
  cluster: readonly ClusterReach[],
): boolean {
  if (subresource !== undefined) return false
  const isCreation = method === 'POST' && name === undefined
  const wanted = isCreation ? nameIn(body) : name
  const found = cluster.find((one) => one.group === group && one.plural === plural && one.name === wanted)
  if (found === undefined) return false
  return (
    method === 'GET' ||
    method === 'DELETE' ||
    ((isCreation || method === 'PATCH' || method === 'PUT') && found.mayChange)
  )
}

/** Of an object that is to be created. */
function nameIn(body: Buffer): string | undefined {
  try {
    const object: unknown = JSON.parse(body.toString('utf8'))
    const metadata = isJsonObject(object) ? object['metadata'] : undefined
    const name = isJsonObject(metadata) ? metadata['name'] : undefined
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

/** A segment that decodes to a separator could be read as another path behind us. */
function isPlain(path: string): boolean {
  try {
    return path
      .slice(1)
      .split('/')
      .map(decodeURIComponent)
      .every((segment) => !/[/\\]|^\.{0,2}$/.test(segment))
  } catch {
    return false
  }
}

const answered = (code: number, reason: string, message: string): Verdict => ({
  is: 'answered',
  answer: { status: code, body: statusObject(code, reason, message) },
})

const refused = (what: string): Verdict =>
  answered(403, 'Forbidden', `${what} is forbidden: a release reaches its own namespace alone`)

function notThere({ group, version, plural, name }: PathParts, watch: string | null): Verdict {
  if (name !== undefined || (watch !== null && watch !== 'false' && watch !== '0'))
    return answered(404, 'NotFound', `${plural} ${JSON.stringify(name ?? '')} not found`)
  // Helm reads its own records by a typed client, which wants to know the type.
  const kind = group === '' && plural === 'secrets' ? 'SecretList' : 'List'
  const apiVersion = kind === 'List' || group === '' ? 'v1' : `${group}/${version}`
  return { is: 'answered', answer: { status: 200, body: { apiVersion, kind, metadata: {}, items: [] } } }
}

const textOf = ({ group, plural, namespace, name }: PathParts): string =>
  `${plural}${group && `.${group}`}${name === undefined ? '' : ` ${JSON.stringify(name)}`}${namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`}`
