import { dirname, join, relative, resolve, sep } from 'node:path'
import { rolldown, type OutputChunk, type Plugin } from 'rolldown'

const ROOT = join(import.meta.dirname, '../..')

export interface BundleOptions {
  /** Where each program goes below `dir`, without its ending, and the source that begins it. */
  readonly programs: Readonly<Record<string, string>>
  readonly dir: string
  /** What is loaded on demand becomes files of its own, below `chunks`. @default one file, which needs one program */
  readonly split?: boolean
  /** @default false */
  readonly sourceMaps?: boolean
  /** A module of ours that another takes the place of, by their paths in the checkout. */
  readonly instead?: Readonly<Record<string, string>>
}

/** Plain JavaScript out of our TypeScript and all that it imports; answers what was written. */
export async function bundle(options: BundleOptions): Promise<readonly OutputChunk[]> {
  const { programs, dir, split = false, sourceMaps = false, instead = {} } = options
  const building = await rolldown({
    cwd: ROOT,
    input: { ...programs },
    platform: 'node',
    logLevel: 'warn',
    // An optional addition that node-postgres looks for.
    external: ['pg-native'],
    plugins: [substitutes(instead), ownFolders],
  })
  const { output } = await building.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    banner: ({ isEntry }) => (isEntry ? '#!/usr/bin/env node' : ''),
    codeSplitting: split,
    sourcemap: sourceMaps,
  })
  await building.close()
  return output.filter((part) => part.type === 'chunk')
}

const substitutes = (instead: Readonly<Record<string, string>>): Plugin => ({
  name: 'substitutes',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return null
    const other = instead[relative(ROOT, resolve(dirname(importer), source))]
    return other === undefined ? null : join(ROOT, other)
  },
})

const FOLDER = '__FOLDER_OF_SOURCE__'

/**
 * A module that reads files beside itself finds them as if the folder of the bundle were the checkout, in whatever chunk it
 * ends up: `import.meta.dirname` of src/store is `<dir>/src/store`.
 */
const ownFolders: Plugin = {
  name: 'own folders',
  transform(code, id) {
    const folder = dirname(relative(ROOT, id))
    if (folder.startsWith('..') || folder.includes('node_modules') || !code.includes('import.meta.dirname')) return null
    return { code: code.replaceAll('import.meta.dirname', `${FOLDER}(${JSON.stringify(folder)})`), map: null }
  },
  renderChunk(code, { fileName }) {
    if (!code.includes(FOLDER)) return null
    const pattern = new RegExp(`${FOLDER}\\("([^"]+)"\\)`, 'g')
    const placed = code.replaceAll(pattern, (_, folder: string) => {
      const way = relative(dirname(fileName), folder).split(sep).join('/')
      return `(import.meta.dirname + ${JSON.stringify(`/${way}`)})`
    })
    return { code: placed, map: null }
  },
}
