import { failureOf, type Failure } from '../kernel/index.ts'
import { ServerRefusal } from './client.ts'
import type { Terminal } from './ports.ts'
import { raise } from './failures.ts'

const MOVES: Readonly<Record<Failure['whoseMove'], string>> = {
  user: 'yours',
  operator: 'the operator’s',
  platform: 'the platform’s',
  provider: 'the provider’s',
}

/** Code, message, whose move, next step: the same four that the API and the console show. */
export function printFailure(terminal: Terminal, error: unknown): void {
  const failure = error instanceof ServerRefusal ? error.failure : verdictOn(error)
  const lines = [`error: ${failure.code}: ${failure.message}`]
  if (error instanceof ServerRefusal) lines.push(...error.fields.map(({ field, message }) => `  ${field}: ${message}`))
  lines.push(`whose move: ${MOVES[failure.whoseMove]}`, `next step: ${failure.nextStep}`)
  if (error instanceof ServerRefusal && error.requestId !== undefined) lines.push(`request id: ${error.requestId}`)
  terminal.err(`${lines.join('\n')}\n`)
}

/** `Unexpected` speaks of a loop that tries again; a command does not. */
function verdictOn(error: unknown): Failure {
  const failure = failureOf(error)
  return failure.code === 'Unexpected' ? raise.CommandFailed(failure.message).failure : failure
}
