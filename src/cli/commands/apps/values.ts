import { readFile } from 'node:fs/promises'
import { Option, type Command } from 'commander'
import { raise } from '../../failures.ts'

export interface ValuesOptions {
  readonly valuesFile?: string
  readonly valuesJson?: string
}

/** `--values-file` or `--values-json`, never both. */
export const withValues = (command: Command, what: string): Command =>
  command
    .addOption(new Option('--values-file <path>', `${what}, as YAML or JSON; - reads standard input`))
    .addOption(new Option('--values-json <json>', `${what}, as JSON`).conflicts('valuesFile'))

/** Undefined: neither option was given. */
export async function readValues({ valuesFile, valuesJson }: ValuesOptions): Promise<object | undefined> {
  if (valuesJson !== undefined) return parsedObject('--values-json', valuesJson)
  if (valuesFile === undefined) return undefined
  return await readObject('--values-file', valuesFile)
}

export const parsedObject = (option: string, json: string): object => objectIn(option, () => JSON.parse(json))

export const readObject = async (option: string, path: string): Promise<object> =>
  objectIn(option, await parsedFile(option, path))

/** A list in YAML or JSON. */
export async function readList(option: string, path: string, such: string): Promise<readonly unknown[]> {
  const value = read(option, await parsedFile(option, path))
  if (!Array.isArray(value))
    throw raise.InputUnreadable(`failed to read ${option}: it must hold a list, such as ${such}`)
  return value
}

async function parsedFile(option: string, path: string): Promise<() => unknown> {
  const text = await readFile(path === '-' ? '/dev/stdin' : path, 'utf8').catch((cause: unknown) => {
    throw raise.InputUnreadable(`failed to read ${path} of ${option}`, { cause })
  })
  const { parse } = await import('yaml')
  return () => parse(text) as unknown
}

/** The text may hold secrets, and so may what a parser says about it: neither is repeated. */
function read(option: string, parse: () => unknown): unknown {
  try {
    return parse()
  } catch {
    throw raise.InputUnreadable(
      `failed to read ${option}: it is not valid ${option.endsWith('json') ? 'JSON' : 'YAML'}`,
    )
  }
}

function objectIn(option: string, parse: () => unknown): object {
  const value = read(option, parse)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw raise.InputUnreadable(`failed to read ${option}: it must hold an object, such as {"message":"hello"}`)
  }
  return value
}
