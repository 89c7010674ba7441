/** What several lines were at one moment; each stays so until the next moment. */
export interface Moment {
  readonly at: number
  readonly values: readonly (number | null)[]
}

export interface Frame {
  readonly from: number
  readonly to: number
  readonly top: number
  /** Where the horizontal lines are, from 0 to `top`. */
  readonly ticks: readonly number[]
}

/** A line along the time needs some; before anything has changed, a minute. */
const SHORTEST_MS = 60_000

/** Everything fits in, from zero, with round numbers beside it. `base`: 1024 where the values are bytes. */
export function frameOf(moments: readonly Moment[], now: number, base: 10 | 1024 = 10): Frame {
  const first = moments[0]?.at ?? now
  const to = Math.max(now, moments.at(-1)?.at ?? now)
  const highest = Math.max(1, ...moments.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const step = niceStep(highest / 4, base)
  const count = Math.ceil(highest / step)
  return {
    from: Math.min(first, to - SHORTEST_MS),
    to,
    top: step * count,
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
  }
}

/** 1, 2, 5, 10, 20 …; for bytes 1, 2, 4 … of their unit. Never less than one. */
function niceStep(least: number, base: 10 | 1024): number {
  if (base === 1024) return 2 ** Math.max(0, Math.ceil(Math.log2(least)))
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(least, 1)))
  return magnitude * ([1, 2, 5].find((factor) => factor * magnitude >= least) ?? 10)
}

export interface Scale {
  readonly x: (at: number) => number
  readonly y: (value: number) => number
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export const scaleIn = ({ from, to, top }: Frame, box: Box): Scale => ({
  x: (at) => box.left + ((at - from) / (to - from)) * (box.right - box.left),
  y: (value) => box.bottom - (value / top) * (box.bottom - box.top),
})

/** One line in steps, up to the end of the frame; where nothing is known there is no line. */
export function stepPath(moments: readonly Moment[], line: number, end: number, { x, y }: Scale): string {
  const parts: string[] = []
  let height: number | null = null
  for (const { at, values } of moments) {
    const value = values[line] ?? null
    if (height !== null) parts.push(`H${round(x(at))}`)
    if (value !== null) parts.push(height === null ? `M${round(x(at))} ${round(y(value))}` : `V${round(y(value))}`)
    height = value
  }
  return height === null ? parts.join('') : `${parts.join('')}H${round(x(end))}`
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Which moment holds at this place; the first one before there is any. */
export const indexAt = (moments: readonly Moment[], at: number): number =>
  Math.max(
    0,
    moments.findLastIndex((moment) => moment.at <= at),
  )
