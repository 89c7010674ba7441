import { failureOf, type Failure } from '../kernel/index.ts'
import { ServerRefusal } from './client.ts'
import type { Terminal } from './ports.ts'
import { raise } from './failures.ts'

/** Code, message, who has to act, next step: the same four that the API and the console show. */
export function printFailure(terminal: Terminal, error: unknown): void {
  const failure = error instanceof ServerRefusal ? error.failure : verdictOn(error)
  const lines = [`error: ${failure.code}: ${failure.message}`]
  if (error instanceof ServerRefusal) lines.push(...error.fields.map(({ field, message }) => `  ${field}: ${message}`))
  lines.push(`action required: ${actorOf(failure.whoseMove)}`, `next step: ${failure.nextStep}`)
  if (error instanceof ServerRefusal && error.requestId !== undefined) lines.push(`request id: ${error.requestId}`)
  terminal.err(`${lines.join('\n')}\n`)
}

/** Who has to act, in the words of every command. */
export const actorOf = (mover: string): string => (mover === 'user' ? 'you' : mover)

/** `Unexpected` speaks of a loop that tries again; a command does not. */
function verdictOn(error: unknown): Failure {
  const failure = failureOf(error)
  return failure.code === 'Unexpected' ? raise.CommandFailed(failure.message).failure : failure
}
