/** Lines of a message that the summary repeats. The whole of it is where the test ran. */
const LINES = 8

/** One failed test as the summary lists it: its name, then the beginning of each of its errors. */
export function failureOf(name: string, errors: ReadonlyArray<{ readonly message?: string }>): string {
  const causes = errors.flatMap(({ message = 'no message' }) => firstLines(message))
  return [name, ...causes.map((line) => `    ${line}`)].join('\n')
}

function firstLines(message: string): readonly string[] {
  const lines = message.split('\n')
  return lines.length > LINES ? [...lines.slice(0, LINES), '...'] : lines
}

/** The last lines of a command's output. */
export const endOf = (output: string, lines: number): string => output.trimEnd().split('\n').slice(-lines).join('\n')
