import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino'
import { messageOf } from '../kernel/index.ts'
import { REDACTED, type Scrub } from './scrub.ts'

/**
 * Messages are constant and begin with a capital; variable data goes into keys: `log.info({ key, ms },
 * 'Reconciled')`.
 */
export type Logger = PinoLogger

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly format: 'json' | 'pretty'
  readonly scrub: Scrub
  /** @default standard error; standard output is for results */
  readonly destination?: { write(line: string): unknown }
}

/** Keys whose values are never written, at the top level or one level down. */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  'password',
  'token',
  'secret',
  'client_secret',
  'access_token',
  'id_token',
]

export function makeLogger({ level, format, scrub, destination = process.stderr }: LogOptions): Logger {
  const stream: DestinationStream = {
    write: (line) => void destination.write(format === 'json' ? line : prettyLine(line)),
  }
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`]), censor: REDACTED },
      serializers: { error: errorFields, err: errorFields },
      hooks: { streamWrite: (line) => scrubLine(line, scrub) },
    },
    stream,
  )
}

/** A secret may look like a part of JSON, so a line that holds one is masked field by field and stays JSON. */
const scrubLine = (line: string, scrub: Scrub): string =>
  !line.includes('\\') && scrub(line) === line ? line : `${JSON.stringify(scrub.value(JSON.parse(line)))}\n`

const errorFields = (error: unknown): unknown =>
  error instanceof Error ? { message: messageOf(error), stack: error.stack } : error

const COLOURS: Readonly<Record<string, number>> = { debug: 90, info: 36, warn: 33, error: 31 }

/** `12:30:01 info  Reconciled key=Echo/a ms=12` */
export function prettyLine(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>
  const word = String(level)
  const keys = Object.entries(rest).map(([name, value]) => ` \u001B[90m${name}=\u001B[0m${prettyValue(value)}`)
  return `\u001B[90m${String(time).slice(11, 19)}\u001B[0m \u001B[${COLOURS[word] ?? 0}m${word.padEnd(5)}\u001B[0m ${String(msg)}${keys.join('')}\n`
}

const prettyValue = (value: unknown): string => {
  if (typeof value === 'string') return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value)
  const stack = (value as { stack?: unknown } | null)?.stack
  return typeof stack === 'string' ? `\n${stack}` : JSON.stringify(value)
}
