import { expect } from 'vitest'
import {
  CustomResourceDefinition,
  isNotFound,
  type Client,
  type KubeObject,
  type Resource,
} from '../../../src/kube/index.ts'
import { seen } from '../../support/kube.ts'

/** A kind of somebody else's, as little of it as the server needs to store one. */
const kindOf = (group: string, version: string, kind: string, plural: string): Resource => ({
  group,
  version,
  kind,
  plural,
  namespaced: true,
})

export const ScaledObject = kindOf('keda.sh', 'v1alpha1', 'ScaledObject', 'scaledobjects')
export const VerticalPodAutoscaler = kindOf(
  'autoscaling.k8s.io',
  'v1',
  'VerticalPodAutoscaler',
  'verticalpodautoscalers',
)

/** Has the kind served. */
export async function serve(client: Client, { group, version, kind, plural }: Resource): Promise<void> {
  const name = `${plural}.${group}`
  await client.apply(
    CustomResourceDefinition,
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      // The server keeps groups that end in k8s.io for those who say where they were approved.
      metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' } },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    },
    { force: true },
  )
  await seen(client, CustomResourceDefinition, { name }, ({ status }) =>
    Boolean(status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True')),
  )
}

/** Resolves when the server no longer knows the kind. */
export async function serveNoMore(client: Client, kind: Resource): Promise<void> {
  await client.delete(CustomResourceDefinition, { name: `${kind.plural}.${kind.group}` })
  const isServed = () =>
    client.list(kind).then(
      () => true,
      (error: unknown) => !isNotFound(error),
    )
  await expect.poll(isServed, { timeout: 30_000 }).toBe(false)
}

export const scalerOf = (
  { group, version, kind }: Resource,
  at: { readonly namespace: string; readonly name: string },
  spec: object,
): KubeObject => ({ apiVersion: `${group}/${version}`, kind, metadata: at, spec }) as KubeObject
