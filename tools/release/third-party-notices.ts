import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The licences of the packages that these modules belong to. A release must include them. */
export async function noticesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []))
  const notices = await Promise.all([...folders].toSorted().map(noticeOf))
  return [...new Set(notices)].toSorted().join(`\n${'-'.repeat(80)}\n\n`)
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry))
  const text = file === undefined ? `Licensed under ${license}.` : await readFile(join(folder, file), 'utf8')
  return `${name} ${version}\n\n${text.trim()}\n`
}
