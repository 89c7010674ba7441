import { dirname, join, relative, resolve, sep } from 'node:path'
import { rolldown, type OutputChunk, type Plugin } from 'rolldown'

const ROOT = join(import.meta.dirname, '../..')

export interface BundleOptions {
  /** Path of each program below `dir`, without its ending, and its source. */
  readonly programs: Readonly<Record<string, string>>
  readonly dir: string
  /** @default false */
  readonly sourceMaps?: boolean
  /** Modules to replace and their replacements, by their paths in the checkout. */
  readonly instead?: Readonly<Record<string, string>>
}

/**
 * Bundles TypeScript programs with everything they import into JavaScript; what is imported on demand goes to files below
 * `chunks`. Returns the chunks that were written.
 */
export async function bundle(options: BundleOptions): Promise<readonly OutputChunk[]> {
  const { programs, dir, sourceMaps = false, instead = {} } = options
  const building = await rolldown({
    cwd: ROOT,
    input: { ...programs },
    platform: 'node',
    logLevel: 'warn',
    // An optional dependency of node-postgres.
    external: ['pg-native'],
    plugins: [substitutes(instead), ownFolders],
  })
  const { output } = await building.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    banner: ({ isEntry }) => (isEntry ? '#!/usr/bin/env node' : ''),
    sourcemap: sourceMaps,
    // V8 keeps the text of every module in memory. Names stay as they are, for stack traces without a source map.
    minify: { compress: true, mangle: false, codegen: true },
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
 * Keeps the paths of files that modules read: `import.meta.dirname` of src/store becomes `<dir>/src/store`, whichever
 * chunk contains the module.
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
