import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { raise } from '../failures.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { parseYaml, QUICKLY_PARSED } from './manifest.ts'
import { parsed } from './parsing.ts'
import type { Chart } from './port.ts'
import { filesIn } from './tar.ts'

/** A chart is text; what unfolds to more than this is a mistake or an attack. */
const LARGEST_UNPACKED = 64 * 1024 ** 2
const LARGEST_FILE = 5 * 1024 ** 2

export const digestOf = (archive: Buffer): string => `sha256:${createHash('sha256').update(archive).digest('hex')}`

export type ChartFacts = Omit<Chart, 'archive' | 'digest'>

/** What the chart says about itself. `source` is how people know it, for messages. */
export async function readChart(archive: Buffer, source: string): Promise<ChartFacts> {
  const invalid = (why: string, cause?: unknown) =>
    raise.ChartInvalid(`failed to read chart ${source}: ${why}`, { cause })
  const tar = await promisify(gunzip)(archive, { maxOutputLength: LARGEST_UNPACKED }).catch((cause: unknown) => {
    const isTooLarge = cause instanceof RangeError
    throw invalid(
      isTooLarge ? `it unpacks to more than ${LARGEST_UNPACKED} bytes` : 'it is not a gzipped archive',
      cause,
    )
  })
  const found = topFiles(tar, (name) => invalid(`its archive has ${name}, which is outside of its folder`))
  const contentOf = async (name: string, read: (text: string) => Json | Promise<Json>): Promise<Json | undefined> => {
    const content = found.get(name)
    if (content === undefined) return undefined
    if (content.length > LARGEST_FILE) throw invalid(`${name} has more than ${LARGEST_FILE} bytes`)
    try {
      return await read(content.toString('utf8'))
    } catch (cause) {
      throw invalid(`${name} cannot be parsed`, cause)
    }
  }
  const about = await contentOf('Chart.yaml', yamlOf)
  if (about === undefined) throw invalid('it has no Chart.yaml')
  if (!isJsonObject(about)) throw invalid('Chart.yaml is not an object')
  const [name, version] = [textAt(about, 'name'), textAt(about, 'version')]
  if (name === null || version === null) throw invalid(`Chart.yaml has no ${name === null ? 'name' : 'version'}`)
  const values = (await contentOf('values.yaml', yamlOf)) ?? {}
  if (!isJsonObject(values)) throw invalid('values.yaml is not an object')
  const schema = await contentOf('values.schema.json', (text) => JSON.parse(text) as Json)
  if (schema !== undefined && !isJsonObject(schema)) throw invalid('values.schema.json is not an object')
  return {
    name,
    version,
    appVersion: textAt(about, 'appVersion'),
    description: textAt(about, 'description'),
    icon: textAt(about, 'icon'),
    defaultValues: values,
    valuesSchema: schema ?? null,
  }
}

const yamlOf = (text: string): Json | Promise<Json> =>
  text.length > QUICKLY_PARSED ? parsed('the chart', 'yaml', [text]) : parseYaml(text)

/** The files directly in the chart's folder. Subcharts lie deeper and do not count. */
function topFiles(tar: Buffer, outside: (name: string) => Error): Map<string, Buffer> {
  const top = new Map<string, Buffer>()
  for (const { name, content } of filesIn(tar)) {
    if (name.startsWith('/') || name.split('/').includes('..')) throw outside(name)
    const [, file, deeper] = name.replace(/^\.\//, '').split('/')
    if (file !== undefined && deeper === undefined) top.set(file, content)
  }
  return top
}

function textAt(object: JsonObject, key: string): string | null {
  const value = object[key]
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}
