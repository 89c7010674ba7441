import { expect } from 'vitest'
import {
  type Client,
  KubeError,
  type KubeObject,
  type Resource,
  type Transport,
  type WatchEvent,
} from '../../../src/kube/index.ts'

export interface KubeUnderTest {
  readonly client: Client
  readonly transport: Transport
  /** Fresh for every test. */
  readonly namespace: string
  /** Lets the controllers of the cluster act: by waiting on a real one, by calling them on a fake one. */
  readonly settle: () => Promise<void>
  readonly close?: () => Promise<void>
}

export type Fresh = () => Promise<KubeUnderTest>

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly template: { readonly spec: { readonly containers: readonly Container[] } }
  }
  readonly status?: { readonly replicas?: number }
}

interface Container {
  readonly name: string
  readonly image: string
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly args?: readonly string[]
}

export interface Widget extends KubeObject {
  readonly spec?: {
    readonly size?: number
    readonly colour?: string
    readonly parts?: readonly { readonly name: string; readonly count?: number }[]
  }
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

const kind = <T extends KubeObject>(
  group: string,
  kindName: string,
  plural: string,
  namespaced = true,
): Resource<T> => ({
  group,
  version: 'v1',
  kind: kindName,
  plural,
  namespaced,
})

export const configMaps = kind<ConfigMap>('', 'ConfigMap', 'configmaps')
export const namespaces = kind<KubeObject & { readonly status?: { readonly phase?: string } }>(
  '',
  'Namespace',
  'namespaces',
  false,
)
export const pods = kind<KubeObject & { readonly status?: { readonly phase?: string } }>('', 'Pod', 'pods')
export const secrets = kind<KubeObject & { readonly data?: Readonly<Record<string, string>> }>('', 'Secret', 'secrets')
export const serviceAccounts = kind('', 'ServiceAccount', 'serviceaccounts')
export const deployments = kind<Deployment>('apps', 'Deployment', 'deployments')
export const leases = kind('coordination.k8s.io', 'Lease', 'leases')
export const roles = kind('rbac.authorization.k8s.io', 'Role', 'roles')
export const roleBindings = kind('rbac.authorization.k8s.io', 'RoleBinding', 'rolebindings')
export const definitions = kind('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions', false)
export const widgets = kind<Widget>('conformance.caelus.dev', 'Widget', 'widgets')

const string = { type: 'string' }

export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.conformance.caelus.dev' },
  spec: {
    group: 'conformance.caelus.dev',
    scope: 'Namespaced',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 1 },
                  colour: { ...string, enum: ['red', 'blue'], default: 'blue' },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: string, count: { type: 'integer' } },
                    },
                  },
                },
              },
              status: {
                type: 'object',
                properties: {
                  phase: string,
                  conditions: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                    items: {
                      type: 'object',
                      required: ['type', 'status'],
                      properties: { type: string, status: string },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
}

export const configMap = (namespace: string, name: string, data?: Record<string, string>, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...metadata },
  ...(data && { data }),
})

export const widget = (
  namespace: string,
  name: string,
  spec: NonNullable<Widget['spec']> = {},
  metadata: object = {},
) => ({
  apiVersion: 'conformance.caelus.dev/v1',
  kind: 'Widget',
  metadata: { name, namespace, ...metadata },
  spec,
})

/** One replica unless said otherwise; without `replicas` the field is left to somebody else. */
export const deployment = (namespace: string, container: Partial<Container> = {}, replicas?: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace },
  spec: {
    ...(replicas !== undefined && { replicas }),
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'example.invalid/web:1', ...container }] },
    },
  },
})

/** The refusal that a call must meet. */
export async function refused(call: Promise<unknown>): Promise<KubeError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error, 'the call should have been refused').toBeInstanceOf(KubeError)
  return error as KubeError
}

/** Enough for a real cluster to come to what it was asked last, after hundreds of namespaces that others have deleted. */
const TRIES = 2_400

/** Tries until `check` passes, letting the controllers act in between. */
export async function eventually({ settle }: KubeUnderTest, check: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await settle()
    try {
      return await check()
    } catch (error) {
      if (attempt === TRIES) throw error
    }
  }
}

/** Reads a watch until `done`, then ends it. A watch that never gets there fails the test by its time limit. */
export async function watched<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: Parameters<Client['watchEvents']>[1],
  done: (events: readonly WatchEvent<T>[]) => boolean,
): Promise<WatchEvent<T>[]> {
  const ending = new AbortController()
  const events: WatchEvent<T>[] = []
  for await (const event of client.watchEvents(resource, options, ending.signal)) {
    events.push(event)
    if (done(events)) ending.abort()
  }
  return events
}

/** `ADDED a`, `MODIFIED a`, …; bookmarks left out. */
export const story = (events: readonly WatchEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'BOOKMARK' || event.type === 'ERROR' ? [] : [`${event.type} ${event.object.metadata.name}`],
  )

export const owners = (object: KubeObject | undefined): string[] =>
  (object?.metadata.managedFields ?? [])
    .map(({ manager, operation, subresource }) => [manager, operation, subresource].filter(Boolean).join(' '))
    .toSorted()

/** The fields that a manager owns, as FieldsV1. */
export const fieldsOf = (object: KubeObject | undefined, manager: string): unknown =>
  object?.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1
