import { sameValue } from '../../../kernel/index.ts'
import type { KubeObject } from '../../../kube/index.ts'
import { field, isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { contentOf, groupOf, nameIn, pluralOf, RELEASE, replaced } from './grant.ts'

/** What an admin can grant a template, or why it cannot be granted. */
export type GrantOffer =
  | {
      readonly grantable: true
      readonly group: string
      readonly kind: string
      readonly name: string
      readonly objects: readonly JsonObject[]
      /** What to think of before granting it. */
      readonly risks: readonly string[]
    }
  | { readonly grantable: false; readonly because: string }

/** One rendering of a chart for a release of this name. */
export interface Sample {
  readonly release: string
  readonly objects: readonly KubeObject[]
}

/** What no release knows before it is ordered. */
export type OrderTexts = readonly string[]

/**
 * Whether the object at `index` can be granted. `again` is the first sample rendered once more; `renamed` is rendered for a
 * release whose name contains that of the chart, which makes most charts name their objects otherwise; `longest` for one
 * whose name is as long as can be, which some charts cut.
 */
export function offerOf(
  index: number,
  samples: { readonly first: Sample; readonly again: Sample; readonly renamed: Sample; readonly longest: Sample },
  orderTexts: OrderTexts,
): GrantOffer {
  const objectIn = ({ objects }: Sample): KubeObject | undefined => objects[index]
  const object = objectIn(samples.first) as KubeObject
  const kindProblem = problemOfKind(object)
  if (kindProblem !== undefined) return refused(kindProblem)
  const first = patternOf(object, samples.first.release)
  const again = objectIn(samples.again)
  if (again === undefined || !sameValue(patternOf(again, samples.again.release), first))
    return refused('it is not the same each time the chart is rendered, so that nobody can review it')
  const text = JSON.stringify(contentOf(object))
  if (orderTexts.some((one) => text.includes(one))) return refused('it depends on what is ordered, such as the domain')
  const renamed = objectIn(samples.renamed)
  const isSame = renamed?.kind === object.kind && renamed.apiVersion === object.apiVersion
  const other = isSame ? patternOf(renamed, samples.renamed.release) : first
  const objects = sameValue(first, other) ? [first] : [first, other]
  const problem = problemOf(first, samples.first) ?? (isSame ? problemOf(other, samples.renamed) : undefined)
  if (problem !== undefined) return refused(problem)
  const { kind } = object
  const longest = objectIn(samples.longest)
  const isCut = longest === undefined || !sameValue(patternOf(longest, samples.longest.release), first)
  const cut = isCut ? ['the chart cuts long names of releases, which are refused then'] : []
  const risks = [...risksOf(first), ...cut]
  return { grantable: true, group: groupOf(object), kind, name: nameIn(first), objects, risks }
}

const refused = (because: string): GrantOffer => ({ grantable: false, because })

const patternOf = (object: KubeObject, release: string): JsonObject =>
  replaced(contentOf(object), release, RELEASE) as JsonObject

function problemOfKind(object: KubeObject): string | undefined {
  const { kind } = object
  if (kind === 'Namespace' && object.apiVersion === 'v1') return 'the platform makes the namespace of a release'
  if (kind === 'CustomResourceDefinition') return 'definitions are shared by all releases: install it apart from them'
  if (pluralOf({ group: groupOf(object), kind }) === undefined)
    return `what a ${kind} does to the whole cluster cannot be told from its content`
  return object.metadata.annotations?.['helm.sh/hook'] === undefined
    ? undefined
    : 'it is a hook, of which Helm does not note whose it is'
}

/** Names that the cluster and the platform use themselves. */
const RESERVED = /^(?:system:|caelus|kubeadm:|cluster-admin$|admin$|edit$|view$)/
const AGGREGATES = 'rbac.authorization.k8s.io/aggregate-to-'

function problemOf(content: JsonObject, { objects, release }: Sample): string | undefined {
  const name = nameIn(content)
  if (RESERVED.test(name)) return `${name} is a name of the cluster itself`
  if (content['kind'] === 'ClusterRole') return problemOfRole(content)
  return content['kind'] === 'ClusterRoleBinding' ? problemOfBinding(content, objects, release) : undefined
}

function problemOfRole(role: JsonObject): string | undefined {
  const labels = fieldsOf(role, 'metadata', 'labels')
  if (Object.keys(labels).some((key) => key.startsWith(AGGREGATES)))
    return 'its rules would become part of roles that others have (rbac.authorization.k8s.io/aggregate-to-…)'
  return role['aggregationRule'] === undefined
    ? undefined
    : 'its rules are collected from other roles (aggregationRule)'
}

/** A binding hands over rights of another role, which was not reviewed, or to subjects outside of the release. */
function problemOfBinding(binding: JsonObject, objects: readonly KubeObject[], release: string): string | undefined {
  const roleRef = fieldsOf(binding, 'roleRef')
  const roleName = textOf(roleRef['name']).replaceAll(RELEASE, release)
  const isOwn = objects.some(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === roleName)
  if (textOf(roleRef['kind']) !== 'ClusterRole' || !isOwn)
    return `it binds the role ${textOf(roleRef['name'])}, which is not one of the chart`
  const subjects = listOf(binding['subjects'])
  const isTheirs = (subject: Json): boolean =>
    isJsonObject(subject) && subject['kind'] === 'ServiceAccount' && subject['namespace'] === RELEASE
  return subjects.every(isTheirs) ? undefined : 'it gives rights to others than service accounts of the release'
}

function risksOf(content: JsonObject): string[] {
  const rules = listOf(content['rules']).filter((rule) => isJsonObject(rule))
  const literal = nameIn(content).includes(RELEASE)
    ? []
    : ['its name is the same for every release, so that only one can have it']
  return [...literal, ...new Set(rules.flatMap(risksOfRule))]
}

const CHANGING = ['create', 'update', 'patch', 'delete', 'deletecollection']

/** Of rights in all namespaces: every tenant who orders it holds them. */
function risksOfRule(rule: JsonObject): string[] {
  const [verbs, resources] = [listOf(rule['verbs']), listOf(rule['resources'])]
  const has = (list: readonly Json[], ...ones: readonly string[]): boolean =>
    list.includes('*') || ones.some((one) => list.includes(one))
  return [
    ...(has(verbs, 'escalate', 'bind', 'impersonate') ? ['it can give itself more rights'] : []),
    ...(has(resources, 'secrets') && has(verbs, 'get', 'list', 'watch') ? ['it reads the Secrets of everybody'] : []),
    ...(has(resources, 'pods/exec', 'pods/attach') ? ['it reaches into the pods of everybody'] : []),
    ...(has(verbs, ...CHANGING) ? [`it changes ${resources.map(textOf).join(', ') || 'URLs'} of everybody`] : []),
  ]
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const listOf = (value: Json | undefined): readonly Json[] =>
  isJsonArray(value ?? null) ? (value as readonly Json[]) : []
const fieldsOf = (object: JsonObject, ...path: readonly string[]): JsonObject =>
  path.reduce<JsonObject>((at, key) => {
    const inner = field(at, key)
    return inner !== undefined && isJsonObject(inner) ? inner : {}
  }, object)
