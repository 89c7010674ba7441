import { globSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { copyConsole } from './build-console.ts'
import { bundle } from './bundle.ts'
import { CRD_FILES } from '../generate/crds.ts'
import { noticesOf } from './third-party-notices.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Files that programs read while they run, beside the console. */
const FILES = ['src/store/migrations']

/** A release has no tools to start PostgreSQL and a control plane. */
const INSTEAD = { 'tools/index.ts': 'tools/release/absent.ts' }

/**
 * Builds a release in `dir` and removes what was there. `node <dir>/caelus.mjs` runs with any Node of `engines`, without
 * TypeScript and node_modules.
 */
export async function buildRelease(dir: string, signal: AbortSignal): Promise<void> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  // Programs that other programs start, such as the post-renderer of Helm.
  const inner = globSync('src/**/*-main.ts', { cwd: ROOT }).map((source) => [source.replace(/\.ts$/, ''), source])
  const programs = { caelus: 'src/main.ts', ...Object.fromEntries(inner) }
  const [chunks] = await Promise.all([
    bundle({ programs, dir, sourceMaps: true, instead: INSTEAD }),
    copyConsole(join(dir, 'console/dist'), signal),
  ])
  for (const path of FILES) await cp(join(ROOT, path), join(dir, path), { recursive: true })
  await mkdir(join(dir, 'crds'))
  for (const { path, text } of CRD_FILES.filter((file) => file.path.startsWith('deploy/crds/')))
    await writeFile(join(dir, 'crds', basename(path)), text)
  await writeFile(join(dir, 'package.json'), await manifest())
  await writeFile(join(dir, 'THIRD-PARTY-NOTICES.txt'), await noticesOf(chunks.flatMap(({ moduleIds }) => moduleIds)))
  await chmod(join(dir, 'caelus.mjs'), 0o755)
}

async function manifest(): Promise<string> {
  const { name, version, license, engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const own = { name, version, license, engines, type: 'module', bin: { caelus: 'caelus.mjs' } }
  return `${JSON.stringify(own, null, 2)}\n`
}
