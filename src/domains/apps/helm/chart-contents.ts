import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { parse, parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../../kube/index.ts'
import { field, isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { HELM_YAML } from './manifest.ts'
import { filesIn, type TarFile } from './tar.ts'

/** A custom resource that the chart wants to be there, and brings the definition of in `crds/`. */
export interface DefinedKind {
  readonly apiVersion: string
  readonly kind: string
}

/** What is in an archive beside what its chart says about itself. */
export interface ChartContents {
  /** Dependencies in Chart.yaml that are not in `charts/`. */
  readonly missingDependencies: readonly string[]
  /** Of the chart and of those in it. */
  readonly definedKinds: readonly DefinedKind[]
  /** Those definitions. */
  readonly definitions: readonly KubeObject[]
  /** What Helm keeps of the chart in each record of a release: everything but the charts in it. */
  readonly kept: readonly TarFile[]
}

const LARGEST_UNPACKED = 64 * 1024 ** 2
/** Charts in charts in charts; deeper ones are not looked into. */
const DEEPEST = 4

/** `archive`: one that was read before, so it is known to be a chart. */
export async function contentsOf(archive: Buffer, depth = 0): Promise<ChartContents> {
  const files = [...filesIn(await promisify(gunzip)(archive, { maxOutputLength: LARGEST_UNPACKED }))].map(
    ({ name, content }) => ({ name: name.replace(/^\.\//, '').split('/').slice(1).join('/'), content }),
  )
  const packed = files.filter(({ name }) => /^(?:.*\/)?charts\/[^/]+\.tgz$/.test(name))
  const inner = depth < DEEPEST ? await Promise.all(packed.map(({ content }) => innerContents(content, depth + 1))) : []
  const definitions = files.filter(({ name }) => /^(?:charts\/[^/]+\/)*crds\/.*\.ya?ml$/.test(name))
  const objects = definitions.flatMap(objectsIn)
  return {
    missingDependencies: missingDependencies(files),
    definedKinds: [...objects.flatMap(kindOf), ...inner.flatMap(({ definedKinds }) => definedKinds)],
    definitions: [
      ...(objects.filter(isDefinition) as unknown as KubeObject[]),
      ...inner.flatMap((one) => one.definitions),
    ],
    kept: files.filter(({ name }) => !name.startsWith('charts/')),
  }
}

/** Helm reports an inner archive that cannot be read when it renders. */
const innerContents = (archive: Buffer, depth: number): Promise<ChartContents> =>
  contentsOf(archive, depth).catch(() => ({ missingDependencies: [], definedKinds: [], definitions: [], kept: [] }))

/** Charts of the first format have them in a file of their own. */
const DECLARE = ['Chart.yaml', 'requirements.yaml']

function dependenciesIn({ content }: TarFile): Json[] {
  const parsed = parse(content.toString('utf8'), HELM_YAML) as Json
  const declared = isJsonObject(parsed) ? field(parsed, 'dependencies') : undefined
  return isJsonArray(declared) ? declared.flatMap((one) => (isJsonObject(one) ? (one.name ?? []) : [])) : []
}

function missingDependencies(files: readonly TarFile[]): string[] {
  const names = files.filter(({ name }) => DECLARE.includes(name)).flatMap(dependenciesIn)
  const present = new Set(files.flatMap(({ name }) => /^charts\/([^/]+)/.exec(name)?.[1] ?? []))
  return names.filter(
    (name): name is string =>
      typeof name === 'string' &&
      !present.has(name) &&
      ![...present].some((one) => one.startsWith(`${name}-`) && one.endsWith('.tgz')),
  )
}

function objectsIn({ content }: TarFile): JsonObject[] {
  return parseAllDocuments(content.toString('utf8'), HELM_YAML).flatMap((document) => {
    const object = document.errors.length > 0 ? undefined : (document.toJS({ maxAliasCount: 100 }) as Json | undefined)
    return isJsonObject(object) ? [object] : []
  })
}

const isDefinition = ({ kind, metadata }: JsonObject): boolean =>
  kind === 'CustomResourceDefinition' && isJsonObject(metadata) && typeof metadata.name === 'string'

function kindOf({ spec }: JsonObject): DefinedKind[] {
  if (!isJsonObject(spec) || !isJsonObject(spec.names)) return []
  const { group, names, versions } = spec
  const served = isJsonArray(versions) ? versions.find((one) => isJsonObject(one) && one.served !== false) : undefined
  const version = isJsonObject(served) ? served.name : spec.version
  if (typeof group !== 'string' || typeof names.kind !== 'string' || typeof version !== 'string') return []
  return [{ apiVersion: `${group}/${version}`, kind: names.kind }]
}
