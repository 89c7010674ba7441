/** The known name closest to a mistyped one, if any is close enough. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const most = Math.min(4, Math.ceil(written.length / 2))
  return known
    .map((name) => ({ name, by: distance(written, name) }))
    .filter(({ by }) => by <= most)
    .toSorted((a, b) => a.by - b.by)[0]?.name
}

/** The Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same))
    }
    row = next
  }
  return row[b.length] ?? 0
}
