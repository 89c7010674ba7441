import { Type, type Static, type TObject } from 'typebox'
import { sleep, systemClock, type Clock } from '../../kernel/index.ts'
import type { Reader, WatchSource, Writer } from '../client/client.ts'
import type { KubeObject, Resource } from '../objects.ts'
import { structural } from './structural.ts'
import { CustomResourceDefinition, type CustomResourceColumnDefinition } from '../types/apiextensions-v1.ts'

type DeepReadonly<T> = T extends (infer E)[]
  ? ReadonlyArray<DeepReadonly<E>>
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

export interface CrdDefinition<
  Group extends string,
  Version extends string,
  Kind extends string,
  Spec extends TObject,
  Status extends TObject,
> {
  readonly group: Group
  readonly version: Version
  readonly kind: Kind
  readonly plural: string
  /** @default the kind in lower case */
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly description?: string
  readonly spec: Spec
  readonly status: Status
  /** CEL rules over the whole object, such as `self.spec.min <= self.spec.max`. */
  readonly validations?: ReadonlyArray<{ readonly rule: string; readonly message: string; readonly fieldPath?: string }>
  readonly printerColumns?: readonly CustomResourceColumnDefinition[]
}

export interface CustomObject<
  Group extends string,
  Version extends string,
  Kind extends string,
  Spec,
  Status,
> extends KubeObject {
  readonly apiVersion: `${Group}/${Version}`
  readonly kind: Kind
  readonly spec: DeepReadonly<Spec>
  readonly status?: DeepReadonly<Status>
}

/** A custom resource: its address, its schema and the manifest of its definition. */
export interface Crd<T extends KubeObject = KubeObject> extends Resource<T> {
  readonly spec: TObject
  readonly status: TObject
  readonly manifest: CustomResourceDefinition
}

/** `export type Echo = ObjectOf<typeof Echo>` */
export type ObjectOf<R> = R extends Resource<infer T> ? T : never

/** Defines a custom resource; its type, manifest and address are derived. */
export function defineCrd<
  const Group extends string,
  const Version extends string,
  const Kind extends string,
  Spec extends TObject,
  Status extends TObject,
>(
  definition: CrdDefinition<Group, Version, Kind, Spec, Status>,
): Crd<CustomObject<Group, Version, Kind, Static<Spec>, Static<Status>>> {
  const { group, version, kind, plural, scope, spec, status } = definition
  return {
    group,
    version,
    kind,
    plural,
    namespaced: scope === 'Namespaced',
    spec,
    status,
    manifest: manifestOf(definition),
  }
}

function manifestOf(definition: CrdDefinition<string, string, string, TObject, TObject>): CustomResourceDefinition {
  const {
    group,
    version,
    kind,
    plural,
    scope,
    spec,
    status,
    validations,
    description,
    printerColumns,
    shortNames,
    categories,
  } = definition
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: definition.singular ?? kind.toLowerCase(),
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          ...(printerColumns && { additionalPrinterColumns: printerColumns }),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              ...(description && { description }),
              required: ['spec'],
              properties: { spec: structural(spec, `${kind}.spec`), status: structural(status, `${kind}.status`) },
              ...(validations && { 'x-kubernetes-validations': validations }),
            },
          },
        },
      ],
    },
  }
}

/** A list that server-side apply merges by `key` instead of replacing it. */
export const mapList = <T extends TObject>(items: T, ...keys: [string, ...string[]]) =>
  Type.Array(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys })

/** A port or a percentage: `80`, `"http"`, `"25%"`. */
export const IntOrString = Type.Union([Type.Integer(), Type.String()])

/** Any value, kept as the user wrote it. */
export const Anything = Type.Unknown()

/** `status.conditions` by the Kubernetes conventions. */
export const Conditions = mapList(
  Type.Object({
    type: Type.String(),
    status: Type.Enum(['True', 'False', 'Unknown']),
    observedGeneration: Type.Integer({ format: 'int64' }),
    lastTransitionTime: Type.String({ format: 'date-time' }),
    reason: Type.String(),
    message: Type.String(),
  }),
  'type',
)

export interface InstallOptions {
  /** @default 30_000 */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

/** Installs a definition and resolves when the server serves the kind. Idempotent. */
export async function installCrd(
  client: Reader & Writer & WatchSource,
  crd: Resource & Pick<Crd, 'manifest'>,
  { timeoutMs = 30_000, clock = systemClock }: InstallOptions = {},
): Promise<void> {
  const name = crd.manifest.metadata.name
  const timeout = new AbortController()
  const cancel = clock.after(timeoutMs, () => timeout.abort())
  try {
    let current: CustomResourceDefinition | undefined = await client.apply(CustomResourceDefinition, crd.manifest)
    while (!isEstablished(current)) {
      if (timeout.signal.aborted)
        throw new Error(`failed to install ${name}: not established within ${timeoutMs} ms${conditionText(current)}`)
      current = await nextState(client, name, current?.metadata.resourceVersion, timeout.signal)
    }
    // `Established` means that the definition is accepted; the kind is served a moment later.
    while (!(await isServed(client, crd))) {
      if (timeout.signal.aborted)
        throw new Error(`failed to install ${name}: established, but not served within ${timeoutMs} ms`)
      await sleep(clock, 50, timeout.signal).catch(() => {})
    }
  } finally {
    cancel()
  }
}

async function nextState(
  client: Reader & WatchSource,
  name: string,
  resourceVersion: string | undefined,
  signal: AbortSignal,
): Promise<CustomResourceDefinition | undefined> {
  const since = resourceVersion === undefined ? {} : { resourceVersion }
  for await (const event of client.watchEvents(
    CustomResourceDefinition,
    { fields: `metadata.name=${name}`, ...since },
    signal,
  )) {
    if (event.type === 'ADDED' || event.type === 'MODIFIED') return event.object
    if (event.type === 'ERROR') break
  }
  return client.get(CustomResourceDefinition, { name })
}

const isServed = (client: WatchSource, crd: Resource): Promise<boolean> =>
  client.listPage(crd, { limit: 1 }).then(
    () => true,
    () => false,
  )

const isEstablished = (crd: CustomResourceDefinition | undefined): boolean =>
  crd?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false

const conditionText = (crd: CustomResourceDefinition | undefined): string =>
  (crd?.status?.conditions ?? [])
    .filter(({ status }) => status === 'False')
    .map(({ type, message }) => `, ${type} is False: ${message ?? ''}`)
    .join('')
