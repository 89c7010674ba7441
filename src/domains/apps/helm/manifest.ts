import { parse, parseAllDocuments, type Tags } from 'yaml'
import type { Discovery, KubeObject } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { parsed } from './parsing.ts'
import type { ReleaseTarget } from './port.ts'

/** Tells whether a kind lives in namespaces; `undefined` when the server does not know it. */
export type Kinds = Pick<Discovery, 'resourceFor'>

/** What strangers wrote is bounded, and parsed aside where it is large. */
export const MANIFEST_LIMITS = {
  bytes: 8 * 1024 ** 2,
  /** No API server stores a larger object. */
  documentBytes: 1.5 * 1024 ** 2,
  objects: 2_000,
  /** Counted with what they stand for. */
  aliases: 10_000,
} as const
/** Starting a thread takes as long as this many characters. */
export const QUICKLY_PARSED = 65_536

/** The objects of a manifest as Helm applies them. */
export const objectsOf = async (
  manifest: string,
  target: ReleaseTarget,
  kinds: Kinds,
): Promise<readonly KubeObject[]> => asApplied(await readManifest(manifest), target, kinds)

/** Every object in the text; a large one is parsed on a thread of its own. */
export async function readManifest(manifest: string): Promise<readonly KubeObject[]> {
  if (manifest.length <= QUICKLY_PARSED) return parseManifest(manifest)
  assertSize(manifest)
  return await parsed('the manifest of the chart', 'manifest', [manifest])
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

/** One document, such as values.yaml. */
export const parseYaml = (text: string): Json =>
  parse(text, { ...HELM_YAML, maxAliasCount: MANIFEST_LIMITS.aliases }) as Json

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
  const { documentBytes } = MANIFEST_LIMITS
  assertSize(manifest)
  const documents = manifest.split(/^---(?=\s|$)/m)
  if (documents.some(({ length }) => length > documentBytes))
    throw tooLarge(`a document of more than ${documentBytes / 1024 ** 2} MiB`)
  return documents
}

function assertSize({ length }: string): void {
  const { bytes } = MANIFEST_LIMITS
  if (length > bytes) throw tooLarge(`more than ${bytes / 1024 ** 2} MiB`)
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
    throw unreadable('its aliases stand for too much', cause)
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
