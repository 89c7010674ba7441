import type { Resource } from '../../../../kube/index.ts'
import { CloudProfiles, CredentialsBindings, Projects, Shoots } from '../resources.ts'

/** Gardener serves these kinds itself. In memory they are custom resources that keep whatever is written. */
const ANYTHING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

const listBy = (key: string) => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
  items: { ...ANYTHING, required: [key], properties: { [key]: { type: 'string' } } },
})

const definition = (resource: Resource, schema: object): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${resource.plural}.${resource.group}` },
  spec: {
    group: resource.group,
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    names: { kind: resource.kind, plural: resource.plural },
    versions: [
      {
        name: resource.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { ...ANYTHING, properties: schema } },
      },
    ],
  },
})

/** The kinds of Gardener that clusters need, for an API server in memory. Lists merge as they do in Gardener. */
export const gardenDefinitions: readonly object[] = [
  definition(Shoots, {
    spec: {
      ...ANYTHING,
      required: ['kubernetes', 'provider'],
      properties: { provider: { ...ANYTHING, properties: { workers: listBy('name') } } },
    },
    status: { ...ANYTHING, properties: { conditions: listBy('type') } },
  }),
  definition(Projects, { spec: ANYTHING, status: ANYTHING }),
  definition(CloudProfiles, { spec: ANYTHING }),
  definition(CredentialsBindings, {}),
]
