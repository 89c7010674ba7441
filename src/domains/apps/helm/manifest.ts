import { parseAllDocuments, type Tags } from 'yaml'
import type { Discovery, KubeObject } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../values/json.ts'
import type { ReleaseTarget } from './port.ts'

/** Tells whether a kind lives in namespaces; `undefined` when the server does not know it. */
export type Kinds = Pick<Discovery, 'resourceFor'>

/** The objects of a manifest as Helm applies them. */
export const objectsOf = (manifest: string, target: ReleaseTarget, kinds: Kinds): Promise<readonly KubeObject[]> =>
  asApplied(parseManifest(manifest), target, kinds)

/** YAML 1.1 as Helm's parser has it (`on` is true, `0644` is octal), which knows neither base 60 nor dates. */
export const HELM_YAML = {
  version: '1.1',
  merge: true,
  uniqueKeys: false,
  customTags: (tags: Tags): Tags =>
    tags.filter(
      (tag) =>
        typeof tag === 'string' || !(tag.tag.endsWith(':timestamp') || ('format' in tag && tag.format === 'TIME')),
    ),
} as const

/** Every object in the text, those in a `List` one by one. */
export function parseManifest(manifest: string): readonly KubeObject[] {
  return parseAllDocuments(manifest, HELM_YAML).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw raise.ChartInvalid(`failed to read the manifest of the chart: ${error.message}`)
    return flattened(document.toJS({ maxAliasCount: 100 }) as unknown)
  })
}

function flattened(value: unknown): KubeObject[] {
  if (!isJsonObject(value)) return []
  if (textAt(value, 'kind').endsWith('List') && isJsonArray(value['items'])) return value['items'].flatMap(flattened)
  const metadata = value['metadata']
  if (textAt(value, 'kind') === '' || !isJsonObject(metadata) || textAt(metadata, 'name') === '') {
    throw raise.ChartInvalid(
      `failed to read the manifest of the chart: an object has no ${textAt(value, 'kind') === '' ? 'kind' : 'metadata.name'}`,
    )
  }
  return [value as unknown as KubeObject]
}

const textAt = (object: JsonObject, key: string): string => {
  const value = object[key]
  return typeof value === 'string' ? value : ''
}

/** With their namespace, and with the marks by which Helm knows its own. The manifest in Helm's storage has neither. */
export const asApplied = (
  objects: readonly KubeObject[],
  target: ReleaseTarget,
  kinds: Kinds,
): Promise<readonly KubeObject[]> => Promise.all(objects.map((object) => marked(object, target, kinds)))

async function marked(object: KubeObject, { namespace, release }: ReleaseTarget, kinds: Kinds): Promise<KubeObject> {
  const resource = await kinds.resourceFor(object.apiVersion, object.kind)
  const { namespace: own, ...metadata } = object.metadata
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(resource?.namespaced !== false && { namespace: own ?? namespace }),
      labels: { ...metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: {
        ...metadata.annotations,
        'meta.helm.sh/release-name': release,
        'meta.helm.sh/release-namespace': namespace,
      },
    },
  }
}
