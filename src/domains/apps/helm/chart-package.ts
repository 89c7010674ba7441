import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { messageOf } from '../../../kernel/index.ts'
import { raise } from '../failures.ts'
import { isJsonObject } from '../values/json.ts'
import { tarOf, type TarFile } from './tar.ts'

/**
 * A chart's folder as an archive, byte for byte the same on every machine: sorted, without times and owners, and stored
 * rather than compressed, because compressors differ between machines. `.helmignore` is honoured, and links are followed, as
 * Helm does.
 */
export async function packageChart(folder: string): Promise<Buffer> {
  const about = await readFile(join(folder, 'Chart.yaml'), 'utf8').catch((cause: unknown) => {
    throw raise.ChartMissing(`failed to package ${folder}: there is no Chart.yaml`, { cause })
  })
  const parsed = parsedChart(about, folder)
  const name = isJsonObject(parsed) ? parsed['name'] : undefined
  if (typeof name !== 'string') throw raise.ChartInvalid(`failed to package ${folder}: Chart.yaml has no name`)
  const isIgnored = await ignoresOf(folder)
  const files = await filesBelow(folder, '', isIgnored)
  const archive = gzipSync(tarOf(files.map((file) => ({ ...file, name: `${name}/${file.name}` }))), { level: 0 })
  archive[9] = UNKNOWN_SYSTEM
  return archive
}

function parsedChart(text: string, folder: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    throw raise.ChartInvalid(`failed to package ${folder}: Chart.yaml cannot be parsed: ${messageOf(cause)}`, { cause })
  }
}

/** The byte in which gzip notes the operating system. */
const UNKNOWN_SYSTEM = 255

type Ignores = (path: string, isFolder: boolean) => boolean

async function filesBelow(
  root: string,
  below: string,
  isIgnored: Ignores,
  above: readonly string[] = [],
): Promise<TarFile[]> {
  const real = await realpath(join(root, below))
  if (above.includes(real)) throw raise.ChartInvalid(`failed to package ${root}: ${below} links to a folder above it`)
  const names = (await readdir(real)).toSorted((a, b) => (a < b ? -1 : 1))
  const nested: TarFile[] = []
  for (const entry of names) {
    const name = below === '' ? entry : `${below}/${entry}`
    const stats = await stat(join(root, name)).catch((cause: unknown) => {
      throw raise.ChartInvalid(`failed to package ${root}: ${name} links to nothing`, { cause })
    })
    if (isIgnored(name, stats.isDirectory())) continue
    if (stats.isDirectory()) nested.push(...(await filesBelow(root, name, isIgnored, [...above, real])))
    else if (stats.isFile()) nested.push({ name, content: await readFile(join(root, name)) })
    else throw raise.ChartInvalid(`failed to package ${root}: ${name} is neither a file nor a folder`)
  }
  return nested
}

async function ignoresOf(folder: string): Promise<Ignores> {
  const text = await readFile(join(folder, '.helmignore'), 'utf8').catch(() => '')
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const negated = rules.find((rule) => rule.startsWith('!'))
  if (negated !== undefined) {
    throw raise.ChartInvalid(`failed to package ${folder}: .helmignore negates with ${negated}; list what to leave out`)
  }
  return (path, isFolder) => rules.some((rule) => matches(rule, path, isFolder))
}

/** As Helm reads them: a rule with a slash inside is for the whole path, any other for the last name; `x/` is for folders. */
function matches(rule: string, path: string, isFolder: boolean): boolean {
  const pattern = rule.replace(/\/$/, '')
  if (pattern !== rule && !isFolder) return false
  const isWhole = pattern.includes('/')
  return matchesGlob(isWhole ? path : (path.split('/').at(-1) ?? path), pattern.replace(/^\//, ''))
}
