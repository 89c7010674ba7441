import { sameValue } from '../../kernel/index.ts'
import type { KubeObject } from '../../kube/index.ts'
import { raise } from './failures.ts'
import { contentOf, groupOf, type GrantedObject } from './grants/grant.ts'

export interface Offence {
  /** `ClusterRole/web`, `ConfigMap/page in namespace kube-system`. */
  readonly object: string
  readonly is: 'namespace' | 'clusterScoped' | 'elsewhere' | 'otherThanGranted' | 'revoked'
  /** Which parts of it are other than granted. */
  readonly parts?: readonly string[]
}

/** Enough to act on. */
const MOST_NAMED = 20
const LONGEST_NAME = 200

/**
 * The objects that a release may not have: namespaces, what is cluster-scoped and was not granted, and what is in another
 * namespace. The objects are as Helm applies them: those of namespaced kinds name their namespace.
 */
export function offencesIn(
  objects: readonly KubeObject[],
  namespace: string,
  granted: readonly GrantedObject[] = [],
): readonly Offence[] {
  return objects.flatMap((object): Offence[] => {
    const { kind, metadata } = object
    const name = `${kind}/${metadata.name}`.slice(0, LONGEST_NAME)
    if (kind === 'Namespace' && groupOf(object) === '') return [{ object: name, is: 'namespace' }]
    if (metadata.namespace === namespace) return []
    if (metadata.namespace !== undefined)
      return [{ object: `${name} in namespace ${metadata.namespace.slice(0, LONGEST_NAME)}`, is: 'elsewhere' }]
    return ungranted(object, granted).map((offence) => ({ object: name, ...offence }))
  })
}

/** Of grants of the same name, as templates before had them, one has to fit. */
function ungranted(object: KubeObject, granted: readonly GrantedObject[]): Omit<Offence, 'object'>[] {
  const named = granted.filter((one) => isThat(object, one))
  const standing = named.filter(({ isRevoked }) => !isRevoked)
  const content = contentOf(object)
  if (standing.some((one) => sameValue(one.content, content))) return []
  const [nearest] = standing
  if (nearest === undefined) return [{ is: named.length > 0 ? 'revoked' : 'clusterScoped' }]
  const keys = new Set([...Object.keys(content), ...Object.keys(nearest.content)])
  const parts = [...keys].filter((key) => !sameValue(content[key], nearest.content[key]))
  return [{ is: 'otherThanGranted', parts }]
}

/** Whether a release that has this object in its manifest may be shown what the cluster has under its name. */
export const isInScope = (object: KubeObject, namespace: string, granted?: readonly GrantedObject[]): boolean =>
  offencesIn([object], namespace, granted).length === 0

/** Throws `ObjectNotAllowed`, which names the offending objects. */
export function assertInScope(
  objects: readonly KubeObject[],
  namespace: string,
  granted?: readonly GrantedObject[],
): void {
  const offences = offencesIn(objects, namespace, granted)
  if (offences.length > 0) throw raise.ObjectNotAllowed(sentence(offences))
}

const REASONS = {
  namespace: 'the platform makes the namespace',
  clusterScoped: 'cluster-scoped',
  elsewhere: 'not the namespace of the release',
  otherThanGranted: 'not as it was granted to the template',
  revoked: 'its grant to the template was revoked',
} as const satisfies Record<Offence['is'], string>

function sentence(offences: readonly Offence[]): string {
  const named = offences.slice(0, MOST_NAMED).map(({ object, is, parts = [] }) => {
    const differing = parts.length === 0 ? '' : `: ${parts.join(', ').slice(0, LONGEST_NAME)} differ`
    return `${object} (${REASONS[is]}${differing})`
  })
  const more = offences.length - named.length
  return `the chart has objects that a release may not have: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const isThat = (object: KubeObject, { group, kind, name }: GrantedObject): boolean =>
  groupOf(object) === group && object.kind === kind && object.metadata.name === name
