import { stringify } from 'yaml'
import { show } from '../drift/diff.ts'
import { isSecretField } from '../drift/diff-objects.ts'
import { raise } from '../failures.ts'
import type { Json, JsonObject } from '../values/json.ts'
import { masker } from '../values/redaction.ts'
import { parseManifest } from './manifest.ts'

const MIB = 1024 ** 2
/** As long as the record that it comes from could be, and not longer because of what aliases stand for. */
const LONGEST = 16 * MIB

/** Read again as it was meant by those who take YAML 1.1 for granted: the text `on` is quoted. */
const WRITTEN = { version: '1.1', lineWidth: 0 } as const

/** The objects of a manifest as YAML, without the data of Secrets and with `secrets` masked. */
export function shownManifest(manifest: string, secrets: readonly Json[]): string {
  const mask = masker(secrets)
  let text = ''
  for (const object of parseManifest(manifest) as unknown as readonly JsonObject[]) {
    const open = show(object, [], { isSecret: isSecretField(object) })
    text += `---\n${stringify(mask.value(open), WRITTEN)}`
    assertLength(text)
  }
  return text
}

/** Values as YAML, with `secrets` masked. */
export function shownYaml(values: Json, secrets: readonly Json[]): string {
  const text = stringify(masker(secrets).value(values), WRITTEN)
  assertLength(text)
  return text
}

function assertLength({ length }: string): void {
  if (length > LONGEST) throw raise.RenderTooLarge(`what is to be shown is longer than ${LONGEST / MIB} MiB`)
}
