import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** The picture in docs/architecture.md, as a table: who may import whom. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/kernel': [],
  'src/telemetry': ['src/kernel'],
  'src/kube': ['src/kernel'],
  'src/store': ['src/kernel'],
  'src/domains': ['src/kernel', 'src/kube', 'src/store'],
  'src/api': ['src/kernel', 'src/kube', 'src/store', 'src/domains', 'src/telemetry'],
  'src/cli': ['src/kernel', 'src/store', 'src/domains', 'src/api'],
  examples: ['src/kernel', 'src/kube', 'src/store'],
  sim: ['src/kernel', 'src/kube', 'src/store', 'src/domains', 'examples'],
  tools: [
    'src/kernel',
    'src/kube',
    'src/store',
    'src/telemetry',
    'src/api',
    'src/cli',
    'src',
    'src/domains',
    'examples',
  ],
}

/** Only these may see the console's wire types from the other side; they are types alone. */
const CONSOLE_MAY_IMPORT = ['src/api/contract']

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes(`${sep}node_modules${sep}`) && !file.includes(`${sep}dist${sep}`))
}

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path]) =>
    relative(ROOT, resolve(dirname(file), path ?? '')),
  )

/** Assembled here: these are one with `src/main.ts` and `src/config/index.ts`, and have no door of their own. */
const ROOT_FOLDERS = ['processes', 'config']

/** `src/kube/watch/watch.ts` → `src/kube`; `examples/echo/echo.ts` → `examples`; `src/config/index.ts` → `src`. */
function folderOf(path: string): string {
  const [top = '', second = ''] = path.split(sep)
  if (top !== 'src') return top
  return second.includes('.') || ROOT_FOLDERS.includes(second) ? 'src' : `src/${second}`
}

const strays = (folder: string, allowed: (target: string) => boolean): string[] =>
  sources(folder).flatMap((file) =>
    importsOf(file)
      .filter((target) => !target.startsWith(folder) && !allowed(target))
      .map((target) => `${relative(ROOT, file)} -> ${target}`),
  )

describe('imports point one way', () => {
  test.each(Object.entries(MAY_IMPORT))('%s imports only itself and %j', (folder, allowed) => {
    expect(strays(folder, (target) => allowed.includes(folderOf(target)))).toEqual([])
  })

  test('the console imports only wire types', () => {
    expect(strays('console/src', (target) => CONSOLE_MAY_IMPORT.some((door) => target.startsWith(door)))).toEqual([])
  })

  test('the domains never import each other', () => {
    const domains = readdirSync(join(ROOT, 'src/domains'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )
    const crossings = domains.flatMap(({ name }) =>
      strays(join('src/domains', name), (target) => !target.startsWith(join('src', 'domains'))),
    )
    expect(crossings).toEqual([])
  })

  test('from another folder of src only the door is imported', () => {
    const sideDoors = sources('src').flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const folder = folderOf(target)
          const outside = folder !== 'src' && folderOf(relative(ROOT, file)) !== folder
          return outside && !/(^|\/)index\.ts$/.test(target) && !target.startsWith(join('src', 'api', 'contract'))
        })
        .map((target) => `${relative(ROOT, file)} -> ${target}`),
    )
    expect(sideDoors).toEqual([])
  })
})

describe('what only one file may do', () => {
  test('nothing in src reads the environment but the configuration', () => {
    const readers = sources('src').filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')))
    expect(readers.map((file) => relative(ROOT, file))).toEqual(['src/config/index.ts'])
  })
})
