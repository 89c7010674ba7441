import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PAGES } from './generate/reference.ts'

/** `npm run generate`: writes the generated files. Tests fail when they are out of date. */
for (const { path, make } of PAGES) {
  const file = join(import.meta.dirname, '..', path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, await make())
  console.log(path)
}
