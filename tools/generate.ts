import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PAGES } from './generate/reference.ts'

/** `npm run generate`: writes what is made from the code. Tests compare it, so that nobody has to remember. */
for (const { path, make } of PAGES) {
  const file = join(import.meta.dirname, '..', path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, await make())
  console.log(path)
}
