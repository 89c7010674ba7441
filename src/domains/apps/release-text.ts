import { hasNamespace } from './fence.ts'
import type { ReleaseContents } from './helm/port.ts'
import { releaseOf, type AppsParts } from './parts.ts'
import type { ReleaseInputs } from './usecases/index.ts'
import { readAt, type Json } from './values/json.ts'
import { masker } from './values/redaction.ts'
import { writeOnlyPointers } from './values/secrets.ts'
import { deepMerge } from './values/values.ts'

/** What people may read of the release as it stands. */
export interface ReleaseText {
  readonly revision: number
  readonly text: string
}

/** Longer notes are nothing that anybody reads. */
const LONGEST_NOTES = 65_536

/** What the chart says to whoever installed it, without secrets. `undefined`: there is no release. */
export async function notesOf(
  parts: Pick<AppsParts, 'client' | 'releases'>,
  inputs: ReleaseInputs,
  signal?: AbortSignal,
): Promise<ReleaseText | undefined> {
  const contents = await contentsOf(parts, inputs, signal)
  if (contents === undefined) return undefined
  const mask = masker(secretsIn(inputs, contents))
  return { revision: contents.revision, text: mask.excerpt(printable(contents.notes), LONGEST_NOTES).trim() }
}

/** Notes are shown in terminals: what would steer one is left out. */
const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]+/gu, '')

async function contentsOf(
  { client, releases }: Pick<AppsParts, 'client' | 'releases'>,
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
function secretsIn({ templates, sealed, secrets }: ReleaseInputs, { defaults, values }: ReleaseContents): Json[] {
  const effective = deepMerge(defaults, values)
  const pointers = [
    ...templates.flatMap(({ valuesSchema }) => writeOnlyPointers(valuesSchema, effective)),
    ...sealed.flatMap((pointer) => [pointer, `/user${pointer}`]),
  ]
  return [...secrets, ...pointers.flatMap((pointer) => readAt(effective, pointer) ?? [])]
}
