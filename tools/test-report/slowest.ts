/** What one test file cost. */
export interface FileCost {
  readonly file: string
  readonly wallSeconds: number
  /** Absent where the operating system does not report it for child processes. */
  readonly cpuSeconds?: number
}

const seconds = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(1)).padStart(7)

/** The slowest files by wall time, the slowest first, as lines of wall seconds, CPU seconds and file. */
export function slowestFiles(files: readonly FileCost[], count: number): string {
  const slowest = files.toSorted((a, b) => b.wallSeconds - a.wallSeconds).slice(0, count)
  const lines = slowest.map(
    ({ file, wallSeconds, cpuSeconds }) => `${seconds(wallSeconds)} ${seconds(cpuSeconds)}  ${file}`,
  )
  const head = `the ${slowest.length} slowest of ${files.length} files (CPU of the test process and of its children that ended)`
  return [head, ' wall s   CPU s', ...lines].join('\n')
}
