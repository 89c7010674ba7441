import { isObject, type Json, listAt, objectAt, textAt } from './json.ts'

/** What the server knows about a kind. */
export interface KindInfo {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  /** Has `/status`: the main endpoint ignores status, the status endpoint ignores all other fields. */
  readonly statusSubresource: boolean
  readonly scaleSubresource: boolean
  /** Counts changes of the spec in `metadata.generation`. */
  readonly generation: boolean
  /** The schema of a custom resource. */
  readonly schema?: Json
  readonly custom: boolean
}

type Traits = Partial<Record<'cluster' | 'status' | 'scale' | 'generation', true>>

const builtIn = (groupVersion: string, kind: string, plural: string, traits: Traits = {}): KindInfo => {
  const [group, version] = groupVersion.includes('/')
    ? (groupVersion.split('/') as [string, string])
    : ['', groupVersion]
  return {
    group,
    version,
    kind,
    plural,
    namespaced: traits.cluster !== true,
    statusSubresource: traits.status === true,
    scaleSubresource: traits.scale === true,
    generation: traits.generation === true,
    custom: false,
  }
}

const workload: Traits = { status: true, scale: true, generation: true }

const BUILT_IN: readonly KindInfo[] = [
  builtIn('v1', 'Namespace', 'namespaces', { cluster: true, status: true }),
  builtIn('v1', 'Node', 'nodes', { cluster: true, status: true }),
  builtIn('v1', 'PersistentVolume', 'persistentvolumes', { cluster: true, status: true }),
  builtIn('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', { status: true }),
  builtIn('v1', 'ConfigMap', 'configmaps'),
  builtIn('v1', 'Secret', 'secrets'),
  builtIn('v1', 'Service', 'services', { status: true }),
  builtIn('v1', 'ServiceAccount', 'serviceaccounts'),
  builtIn('v1', 'Pod', 'pods', { status: true, generation: true }),
  builtIn('v1', 'Event', 'events'),
  builtIn('v1', 'Endpoints', 'endpoints'),
  builtIn('v1', 'ResourceQuota', 'resourcequotas', { status: true }),
  builtIn('v1', 'LimitRange', 'limitranges'),
  builtIn('apps/v1', 'Deployment', 'deployments', workload),
  builtIn('apps/v1', 'StatefulSet', 'statefulsets', workload),
  builtIn('apps/v1', 'ReplicaSet', 'replicasets', workload),
  builtIn('apps/v1', 'DaemonSet', 'daemonsets', { status: true, generation: true }),
  builtIn('batch/v1', 'Job', 'jobs', { status: true, generation: true }),
  builtIn('batch/v1', 'CronJob', 'cronjobs', { status: true, generation: true }),
  builtIn('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', { status: true }),
  builtIn('networking.k8s.io/v1', 'Ingress', 'ingresses', { status: true, generation: true }),
  builtIn('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', { generation: true }),
  builtIn('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', { status: true, generation: true }),
  builtIn('coordination.k8s.io/v1', 'Lease', 'leases'),
  builtIn('events.k8s.io/v1', 'Event', 'events'),
  builtIn('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', { generation: true }),
  builtIn('storage.k8s.io/v1', 'StorageClass', 'storageclasses', { cluster: true }),
  builtIn('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', { cluster: true, generation: true }),
  builtIn('rbac.authorization.k8s.io/v1', 'Role', 'roles'),
  builtIn('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings'),
  builtIn('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', { cluster: true }),
  builtIn('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', {
    cluster: true,
    status: true,
    generation: true,
  }),
  builtIn('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings', {
    cluster: true,
    generation: true,
  }),
  builtIn('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', { cluster: true }),
  builtIn('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', {
    cluster: true,
    status: true,
    generation: true,
  }),
]

export const typeKey = (kind: Pick<KindInfo, 'group' | 'plural'>): string => `${kind.group}/${kind.plural}`

export const apiVersionOf = (kind: KindInfo): string =>
  kind.group === '' ? kind.version : `${kind.group}/${kind.version}`

/** The kinds that are served. Custom kinds follow their definitions. */
export class Registry {
  readonly #kinds = new Map<string, KindInfo>()

  constructor() {
    for (const kind of BUILT_IN) this.#add(kind)
  }

  #add(kind: KindInfo): void {
    this.#kinds.set(`${kind.group}/${kind.version}/${kind.plural}`, kind)
  }

  find(group: string, version: string, plural: string): KindInfo | undefined {
    return this.#kinds.get(`${group}/${version}/${plural}`)
  }

  /** Of an owner reference or a manifest. */
  byKind(apiVersion: string, kind: string): KindInfo | undefined {
    for (const known of this.#kinds.values())
      if (known.kind === kind && apiVersionOf(known) === apiVersion) return known
    return undefined
  }

  /** All served versions of a definition share the storage, which is keyed by group and plural. */
  define(definition: Json): void {
    const spec = objectAt(definition, 'spec')
    const names = objectAt(spec, 'names')
    for (const version of listAt(spec, 'versions').filter(isObject)) {
      if (version['served'] === false) continue
      const subresources = objectAt(version, 'subresources')
      this.#add({
        group: textAt(spec, 'group'),
        version: textAt(version, 'name'),
        kind: textAt(names, 'kind'),
        plural: textAt(names, 'plural'),
        namespaced: spec['scope'] === 'Namespaced',
        statusSubresource: isObject(subresources['status']),
        scaleSubresource: isObject(subresources['scale']),
        generation: true,
        schema: objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'),
        custom: true,
      })
    }
  }

  forget(definition: Json): void {
    const spec = objectAt(definition, 'spec')
    const lost = typeKey({ group: textAt(spec, 'group'), plural: textAt(objectAt(spec, 'names'), 'plural') })
    for (const [key, kind] of this.#kinds) if (kind.custom && typeKey(kind) === lost) this.#kinds.delete(key)
  }

  /** The answer to a discovery request, if `path` is one. */
  discovery(path: string, accept = ''): Json | undefined {
    if (path.split('/').length > 4) return undefined
    const kinds = [...this.#kinds.values()]
    const isRoot = path === '/api' || path === '/apis'
    if (isRoot && accept.includes('as=APIGroupDiscoveryList'))
      return aggregated(kinds.filter(({ group }) => (group === '') === (path === '/api')))
    if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] }
    if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(kinds) }
    const groupVersion = /^\/(?:api|apis)\/(.+)$/.exec(path)?.[1]
    const group = groupsOf(kinds).find(({ name }) => name === groupVersion)
    if (group !== undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...group }
    const served = kinds.filter((kind) => apiVersionOf(kind) === groupVersion)
    if (served.length === 0) return undefined
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: served.flatMap(resourcesOf) }
  }
}

interface Group {
  readonly name: string
  readonly versions: readonly Json[]
  readonly preferredVersion: Json | undefined
}

function groupsOf(kinds: readonly KindInfo[]): Group[] {
  const names = [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== '')
  return names.map((name) => {
    const versions = [...new Set(kinds.filter(({ group }) => group === name).map(({ version }) => version))]
    const listed = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }))
    return { name, versions: listed, preferredVersion: listed[0] }
  })
}

/** Everything that is served in one answer, as servers since Kubernetes 1.27 give it. */
function aggregated(kinds: readonly KindInfo[]): Json {
  const items = [...Map.groupBy(kinds, ({ group }) => group)].map(([name, inGroup]) => ({
    metadata: { ...(name !== '' && { name }) },
    versions: [...Map.groupBy(inGroup, ({ version }) => version)].map(([version, served]) => ({
      version,
      resources: served.map((kind) => ({
        resource: kind.plural,
        responseKind: { group: kind.group, version, kind: kind.kind },
        scope: kind.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: kind.kind.toLowerCase(),
        verbs: VERBS,
        subresources: [
          ...(kind.statusSubresource ? [{ subresource: 'status' }] : []),
          ...(kind.scaleSubresource ? [{ subresource: 'scale' }] : []),
        ],
      })),
    })),
  }))
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

function resourcesOf(kind: KindInfo): Json[] {
  const { plural, namespaced } = kind
  const main = { name: plural, singularName: kind.kind.toLowerCase(), namespaced, kind: kind.kind, verbs: VERBS }
  const part = (name: string, ofKind: string): Json => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    kind: ofKind,
    verbs: ['get', 'patch', 'update'],
  })
  return [
    main,
    ...(kind.statusSubresource ? [part('status', kind.kind)] : []),
    ...(kind.scaleSubresource ? [part('scale', 'Scale')] : []),
  ]
}
