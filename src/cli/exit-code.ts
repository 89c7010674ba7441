/** Thrown by a command that has printed its answer, and whose exit code is part of the answer. */
export class ExitCode extends Error {
  override readonly name = 'ExitCode'
  readonly code: 1 | 2

  constructor(code: 1 | 2) {
    super(`exit code ${code}`)
    this.code = code
  }
}
