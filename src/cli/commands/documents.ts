import { readFile } from 'node:fs/promises'
import { raise } from '../failures.ts'

export async function readText(path: string, option = '-f'): Promise<string> {
  return await readFile(path === '-' ? '/dev/stdin' : path, 'utf8').catch((cause: unknown) => {
    throw raise.InputUnreadable(`failed to read ${path} of ${option}`, { cause })
  })
}

/** The documents of a YAML or JSON file, as kubectl takes them. What a parser says may quote them, so it is not repeated. */
export async function readDocuments(path: string, option = '-f', such = 'a ClassRuntime'): Promise<object[]> {
  const text = await readText(path, option)
  const { parseAllDocuments } = await import('yaml')
  const documents = parseAllDocuments(text)
  const all = 'empty' in documents ? [] : documents
  const [broken] = all.flatMap(({ errors }) => errors)
  if (broken !== undefined) {
    const [at] = broken.linePos ?? []
    const line = at === undefined ? '' : ` at line ${at.line}`
    throw raise.InputUnreadable(`failed to read ${path} of ${option}: it is not valid YAML${line}`)
  }
  const values: unknown[] = all.map((document) => document.toJS()).filter((value) => value !== null)
  if (values.length === 0 || !values.every(isObject)) {
    throw raise.InputUnreadable(`failed to read ${path} of ${option}: it must hold objects such as ${such}`)
  }
  return values
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
