import { mkdir, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { objectName } from '../drift/diff-objects.ts'
import { leaveOut } from '../drift/manifest-fields.ts'
import { isJsonObject } from '../values/json.ts'
import type { HandedOver } from '../observed.ts'
import type { HelmVersion } from './cli-version.ts'
import { HELM_YAML } from './manifest.ts'

/*
 * A field that is handed over must not be in what Helm applies. Helm lets a post-renderer change the manifest between
 * rendering and applying: Helm 3 runs any program, Helm 4 a plugin from its plugins folder. Both run hand-over-main.
 */

/**
 * The manifest without the fields that are another's. Documents that have one are written as JSON, which every YAML parser
 * reads alike; the others pass through as they were.
 */
export function withoutHandedOver(manifest: string, handOver: readonly HandedOver[]): string {
  const documents = parseAllDocuments(manifest, HELM_YAML).map((document) => {
    const object: unknown = document.toJS()
    const mine = isJsonObject(object) ? handOver.filter((one) => one.object === objectName(object)) : []
    if (!isJsonObject(object) || mine.length === 0) return document.toString({ directives: false })
    return `${JSON.stringify(mine.reduce((rest, { path }) => leaveOut(rest, path), object))}\n`
  })
  return documents.map((text) => `---\n${text}`).join('')
}

const PLUGIN = 'caelus-hand-over'
/** TypeScript in a checkout, JavaScript in a release. */
const PROGRAM = join(import.meta.dirname, `hand-over-main${extname(import.meta.url)}`)

export interface HandOverFlags {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Prepares `folder`, which belongs to one call, and says how to point Helm at it. */
export async function handOverFlags(
  version: HelmVersion,
  folder: string,
  handOver: readonly HandedOver[],
): Promise<HandOverFlags> {
  const fields = join(folder, 'hand-over.json')
  await writeFile(fields, JSON.stringify(handOver), { mode: 0o600 })
  if (version.major === 3) {
    const args = [PROGRAM, fields].flatMap((arg) => ['--post-renderer-args', arg])
    return { args: ['--post-renderer', process.execPath, ...args], env: {} }
  }
  const plugin = join(folder, 'plugins', PLUGIN)
  await mkdir(plugin, { recursive: true })
  await writeFile(join(plugin, 'plugin.yaml'), stringify(pluginYaml(fields)))
  return { args: ['--post-renderer', PLUGIN], env: { HELM_PLUGINS: join(folder, 'plugins') } }
}

const pluginYaml = (fields: string): object => ({
  apiVersion: 'v1',
  name: PLUGIN,
  version: '1.0.0',
  type: 'postrenderer/v1',
  runtime: 'subprocess',
  runtimeConfig: { platformCommand: [{ command: process.execPath, args: [PROGRAM, fields] }] },
})
