import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** The rows of the table in docs/architecture.md: what a folder may import of ours, and which packages. */
interface Rule {
  readonly imports: readonly string[]
  readonly packages: readonly string[]
}

const list = (cell: string | undefined): string[] =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')

const RULES: ReadonlyMap<string, Rule> = new Map(
  readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| `(src|sim|tools|examples)/.test(line))
    .flatMap((line) => {
      const [, folders, , imports, packages] = line.split('|')
      const rule = { imports: list(imports), packages: list(packages) }
      return list(folders).map((folder) => [folder, rule] as const)
    }),
)

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

/** Assembled here: these are one with `src/main.ts` and `src/config/index.ts`, and have no index of their own. */
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

const packagesOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:^(?:import|export|\}).* from |import\()'(?!node:)(@?[\w-][^']*)'/gm)].map(
    ([, name = '']) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'),
  )

describe('imports point one way', () => {
  test('the table has every folder of src', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const missing = folders.filter(({ name }) => !ROOT_FOLDERS.includes(name) && !RULES.has(`src/${name}`))
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  test.each([...RULES])('%s imports only what its row lists', (folder, { imports, packages }) => {
    expect(strays(folder, (target) => imports.includes(folderOf(target)))).toEqual([])
    if (!folder.startsWith('src/')) return
    const used = new Set(sources(folder).flatMap(packagesOf))
    expect([...used].filter((name) => !packages.includes(name))).toEqual([])
    expect(packages.filter((name) => !used.has(name))).toEqual([])
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

  test('from another folder of src only its index is imported', () => {
    const bypasses = sources('src').flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const folder = folderOf(target)
          const outside = folder !== 'src' && folderOf(relative(ROOT, file)) !== folder
          return outside && !/(^|\/)index\.ts$/.test(target) && !target.startsWith(join('src', 'api', 'contract'))
        })
        .map((target) => `${relative(ROOT, file)} -> ${target}`),
    )
    expect(bypasses).toEqual([])
  })
})

describe('what only one file may do', () => {
  test('of the files that all domains share, only the list of domains imports one', () => {
    const folders = ['src/processes', 'src/config', 'src/api', 'src/cli', 'tools/generate']
    const shared = [join(ROOT, 'src/main.ts'), ...folders.flatMap(sources)]
    const domains = /(?:^|\/)(?:apps|clusters|runtimes|actions|edge)(?:\/|\.ts$)/
    const naming = shared
      .map((file) => relative(ROOT, file))
      .filter((file) => !domains.test(file))
      .filter((file) => importsOf(join(ROOT, file)).some((target) => domains.test(target)))
    expect(naming.toSorted()).toEqual(['src/api/contract/index.ts', 'src/processes/domains.ts'])
  })

  test('nothing in src reads the environment but the configuration', () => {
    const readers = sources('src').filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')))
    expect(readers.map((file) => relative(ROOT, file))).toEqual(['src/config/environment.ts'])
  })
})
