import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseAllDocuments, type Tags } from 'yaml'
import { messageOf } from '../../../kernel/index.ts'
import type { Discovery, KubeObject } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../values/json.ts'
import type { ReleaseTarget } from './port.ts'

/** Tells whether a kind lives in namespaces; `undefined` when the server does not know it. */
export type Kinds = Pick<Discovery, 'resourceFor'>

/** What strangers wrote is parsed on the thread that answers everybody: all of it is bounded. */
export const MANIFEST_LIMITS = {
  bytes: 8 * 1024 ** 2,
  /** No API server stores a larger object. */
  documentBytes: 1.5 * 1024 ** 2,
  objects: 2_000,
  aliases: 100,
} as const
/** Others get their turn after so much. */
const TURN_BYTES = 256 * 1024

/** The objects of a manifest as Helm applies them. */
export async function objectsOf(manifest: string, target: ReleaseTarget, kinds: Kinds): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = []
  let since = 0
  for (const document of documentsIn(manifest)) {
    since += document.length
    if (since > TURN_BYTES) {
      await nextTurn()
      since = document.length
    }
    objects.push(...objectsIn(document))
    assertCount(objects)
  }
  return asApplied(objects, target, kinds)
}

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
  const objects: KubeObject[] = []
  for (const document of documentsIn(manifest)) {
    objects.push(...objectsIn(document))
    assertCount(objects)
  }
  return objects
}

/** Three dashes at the beginning of a line separate documents wherever they are, also in block scalars. */
function documentsIn(manifest: string): readonly string[] {
  const { bytes, documentBytes } = MANIFEST_LIMITS
  if (manifest.length > bytes) throw tooLarge(`more than ${bytes / 1024 ** 2} MiB`)
  const documents = manifest.split(/^---(?=\s|$)/m)
  if (documents.some(({ length }) => length > documentBytes))
    throw tooLarge(`a document of more than ${documentBytes / 1024 ** 2} MiB`)
  return documents
}

function assertCount({ length }: readonly KubeObject[]): void {
  if (length > MANIFEST_LIMITS.objects) throw tooLarge(`more than ${MANIFEST_LIMITS.objects} objects`)
}

const tooLarge = (what: string) => raise.RenderTooLarge(`the manifest of the chart has ${what}`)

function objectsIn(text: string): KubeObject[] {
  return parseAllDocuments(text, HELM_YAML).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw unreadable(error.message)
    return flattened(valueOf(document))
  })
}

/** The parser throws where aliases refer to aliases without end. */
function valueOf(document: { toJS(options: { maxAliasCount: number }): unknown }): unknown {
  try {
    return document.toJS({ maxAliasCount: MANIFEST_LIMITS.aliases })
  } catch (cause) {
    throw unreadable(messageOf(cause), cause)
  }
}

const unreadable = (why: string, cause?: unknown) =>
  raise.ChartInvalid(`failed to read the manifest of the chart: ${why}`, { cause })

function flattened(value: unknown): KubeObject[] {
  if (!isJsonObject(value)) return []
  if (textAt(value, 'kind').endsWith('List') && isJsonArray(value['items'])) return value['items'].flatMap(flattened)
  const metadata = value['metadata']
  if (textAt(value, 'kind') === '' || !isJsonObject(metadata) || textAt(metadata, 'name') === '') {
    throw unreadable(`an object has no ${textAt(value, 'kind') === '' ? 'kind' : 'metadata.name'}`)
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
