/** One phase of one peer in one round. */
export interface Row {
  readonly bench: string
  readonly peer: string
  readonly n: number
  readonly seconds: number
  readonly perSecond: number
  readonly cpuSeconds: number
  readonly rssMiB: number
  readonly p50ms: number | null
  readonly p99ms: number | null
  readonly notes: string
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

export function quantile(values: readonly number[], q: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]
  return value === undefined ? null : round(value)
}

/** Runs `work` for 0…n-1, at most `atOnce` at a time. */
export async function parallel(n: number, atOnce: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < n) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

type Measure = keyof Pick<Row, 'seconds' | 'perSecond' | 'cpuSeconds' | 'rssMiB' | 'p50ms' | 'p99ms'>

/**
 * One round per bench and peer: the one with the median duration, the slower of the middle two for an even number.
 * All figures of a row come from that round, so that its seconds and its rate belong together.
 */
export function medianRounds(rows: readonly Row[]): Row[] {
  const groups = Map.groupBy(rows, ({ bench, peer }) => `${bench} ${peer}`)
  return [...groups.values()].flatMap((group) => {
    const bySeconds = group.toSorted((a, b) => a.seconds - b.seconds)
    return bySeconds[Math.floor(bySeconds.length / 2)] ?? []
  })
}

/** A Markdown table of the median rounds, with the ratio of ours to each figure of a peer. */
export function table(rows: readonly Row[], ours: string): string {
  const all = medianRounds(rows)
  const lines = all.map((row) => {
    const own = all.find(({ bench, peer }) => bench === row.bench && peer === ours)
    const cell = (name: Measure, unit = ''): string => {
      const value = row[name]
      if (value === null) return ''
      const reference = own?.[name] ?? null
      const ratio = own === row || reference === null || value === 0 ? '' : ` (${round(reference / value)}×)`
      return `${value}${unit}${ratio}`
    }
    return `| ${row.bench} | ${row.peer} | ${cell('seconds')} | ${cell('perSecond')} | ${cell('cpuSeconds')} | ${cell('rssMiB')} | ${cell('p50ms')} | ${cell('p99ms')} |`
  })
  return [
    '| bench | peer | seconds | per second | CPU s | RSS MiB | p50 ms | p99 ms |',
    '|---|---|---|---|---|---|---|---|',
    ...lines,
    '',
    `In brackets: what ${ours} needed, as a multiple of that peer's figure.`,
  ].join('\n')
}
