import { hasNamespace } from './fence.ts'
import type { ReleaseContents } from './helm/port.ts'
import { releaseOf, type AppsParts } from './parts.ts'
import type { ReleaseInputs } from './usecases/index.ts'
import { parsed } from './helm/parsing.ts'
import type { Template } from './types.ts'
import { isJsonObject, readAt, type Json, type JsonObject } from './values/json.ts'
import { masker, redact } from './values/redaction.ts'
import { writeOnlyPointers } from './values/secrets.ts'
import { shownValues } from './values/shown.ts'

/** What people may read of the release as it stands. */
export interface ReleaseText {
  readonly revision: number
  readonly text: string
}

type ReleaseParts = Pick<AppsParts, 'client' | 'releases'>

/** `undefined`: there is no release. */
type ReadRelease = (
  parts: ReleaseParts,
  inputs: ReleaseInputs,
  signal?: AbortSignal,
) => Promise<ReleaseText | undefined>

/** Longer notes are cut. */
const LONGEST_NOTES = 65_536

/** The notes of the chart, without secrets. */
export const notesOf: ReadRelease = (parts, inputs, signal) =>
  reading(parts, inputs, signal, async (contents) => {
    const mask = masker(secretsIn(inputs, contents))
    return mask.excerpt(printable(contents.notes), LONGEST_NOTES).trim()
  })

/**
 * The manifest of the release as YAML, without its secrets: neither the data of Secrets, nor what is write-only. On a thread of
 * its own, because its author decides what it costs.
 */
export const manifestOf: ReadRelease = (parts, inputs, signal) =>
  reading(parts, inputs, signal, (contents) =>
    parsed('the manifest of the release', 'shownManifest', [contents.manifest, secretsIn(inputs, contents)], signal),
  )

/** The values that the release was made of, with the defaults of its chart: what its reader may see of them, as YAML. */
export const valuesOf: ReadRelease = (parts, inputs, signal) =>
  reading(parts, inputs, signal, (contents) => {
    const effective = effectiveIn(contents)
    const open = redact(effective, secretPlaces(inputs, effective))
    const shown = shownValues(templateOf(inputs, contents), open, inputs.reader)
    return parsed('the values of the release', 'shownYaml', [shown, secretsIn(inputs, contents)], signal)
  })

async function reading(
  parts: ReleaseParts,
  inputs: ReleaseInputs,
  signal: AbortSignal | undefined,
  textIn: (contents: ReleaseContents) => Promise<string>,
): Promise<ReleaseText | undefined> {
  const contents = await contentsOf(parts, inputs, signal)
  return contents && { revision: contents.revision, text: await textIn(contents) }
}

/** The one that this revision was made from. */
function templateOf({ deployment, templates }: ReleaseInputs, { digest }: ReleaseContents): Template {
  const { desiredTemplateId, appliedTemplateId, rollout } = deployment
  const isDesired = appliedTemplateId === null || digest === rollout?.digest
  const id = isDesired ? desiredTemplateId : appliedTemplateId
  const template = templates.find((one) => one.id === id)
  if (template === undefined) throw new Error(`expected template ${id} among those of the deployment`)
  return template
}

/** As Helm has them: a `null` takes the default of the chart away. */
const effectiveIn = ({ defaults, values }: ReleaseContents): JsonObject => coalesced(defaults, values)

function coalesced(defaults: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(Object.entries(defaults))
  for (const [key, value] of Object.entries(over)) {
    const old = merged.get(key)
    if (value === null) merged.delete(key)
    else merged.set(key, isJsonObject(old) && isJsonObject(value) ? coalesced(old, value) : value)
  }
  return Object.fromEntries(merged)
}

/** Notes are shown in terminals: what would steer one is left out. */
const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]+/gu, '')

async function contentsOf(
  { client, releases }: ReleaseParts,
  { deployment }: ReleaseInputs,
  signal?: AbortSignal,
): Promise<ReleaseContents | undefined> {
  if (!(await hasNamespace(client, deployment, signal))) return undefined
  return await releases.contents(releaseOf(deployment), signal)
}

/**
 * Everything write-only that the release may hold: as the tenant has written it, now and in the generations that are kept, and
 * as its record has it, where it may be of an earlier template.
 */
function secretsIn(inputs: ReleaseInputs, contents: ReleaseContents): Json[] {
  const effective = effectiveIn(contents)
  const places = secretPlaces(inputs, effective)
  return [...inputs.secrets, ...places.flatMap((pointer) => readAt(effective, pointer) ?? [])]
}

const secretPlaces = ({ templates, sealed }: ReleaseInputs, effective: JsonObject): string[] => [
  ...templates.flatMap(({ valuesSchema }) => writeOnlyPointers(valuesSchema, effective)),
  ...sealed.flatMap((pointer) => [pointer, `/user${pointer}`]),
]
