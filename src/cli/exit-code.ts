import { failureOf } from '../kernel/index.ts'

/** Thrown by a command that has printed its answer, and whose exit code is part of the answer. */
export class ExitCode extends Error {
  override readonly name = 'ExitCode'
  readonly code: 1 | 2

  constructor(code: 1 | 2) {
    super(`exit code ${code}`)
    this.code = code
  }
}

/** A wait that took too long has a code of its own: scripts may wait on, while a failure needs a person. */
export const exitCodeOf = (error: unknown): 1 | 3 => (failureOf(error).code === 'NotConvergedInTime' ? 3 : 1)
