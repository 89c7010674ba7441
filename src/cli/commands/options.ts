import { InvalidArgumentError, Option, type Command } from 'commander'
import { FORMATS, type Format } from '../output.ts'

export interface OutputOption {
  readonly output: Format
}

/** `-o`: every command that prints something has it. */
export const outputOption = (): Option =>
  new Option('-o, --output <format>', 'how to print the answer').choices(FORMATS).default('table')

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

/** Of a command that changes something: which options say what. Without any of them the command line is wrong. */
export function needsOneOf(command: Command, ...flags: readonly string[]): Command {
  const names = command.options.filter(({ long }) => flags.includes(long ?? '')).map((option) => option.attributeName())
  return command.hook('preAction', () => {
    if (names.some((name) => command.getOptionValueSource(name) === 'cli')) return
    command.error(`error: nothing is to be changed; give at least one of ${flags.join(', ')}`)
  })
}

/** `--timeout` of every command that waits. */
export const timeoutOption = (minutes: number): Option =>
  new Option('--timeout <duration>', 'how long to wait, such as 30s or 10m; exit code 3 if it takes longer')
    .argParser(durationMs)
    .default(minutes * 60_000, `${minutes}m`)

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

export function durationMs(text: string): number {
  const [, amount, unit] = /^(\d+)(s|m|h)$/.exec(text) ?? []
  if (amount === undefined || unit === undefined)
    throw new InvalidArgumentError('It must be a duration such as 30s or 5m.')
  return Number(amount) * (UNITS_MS[unit] ?? 1)
}
