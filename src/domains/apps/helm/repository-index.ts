import { parse } from 'yaml'
import { raise } from '../failures.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../values/json.ts'

export interface IndexEntry {
  readonly url: string
  readonly digest: string | undefined
}

/** Where an index.yaml says that a version of a chart is. */
export function entryIn(text: string, chart: string, version: string): IndexEntry | undefined {
  const index = parsed(text)
  const entries = isJsonObject(index) ? index['entries'] : undefined
  const versions = isJsonObject(entries) ? entries[chart] : undefined
  const entry = isJsonArray(versions)
    ? versions.find((one): one is JsonObject => isJsonObject(one) && one['version'] === version)
    : undefined
  const urls = entry?.['urls']
  const [url] = isJsonArray(urls) ? urls : []
  if (typeof url !== 'string') return undefined
  const digest = entry?.['digest']
  return { url, digest: typeof digest === 'string' ? `sha256:${digest.replace(/^sha256:/, '')}` : undefined }
}

/** Parses scalars as text: a version `1.10` and a digest of digits are not numbers. */
function parsed(text: string): unknown {
  try {
    return parse(text, { schema: 'failsafe' })
  } catch (cause) {
    throw raise.ChartUnreachable('failed to read index.yaml of the repository: it cannot be parsed', { cause })
  }
}
