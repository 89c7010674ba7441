import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { durationText, momentText } from '../../lib/age.ts'
import { useNow } from '../../lib/now.ts'
import { frameOf, indexAt, scaleIn, stepPath } from '../../lib/step-chart.ts'
import type { Frame, Moment, Scale } from '../../lib/step-chart.ts'
import { Age } from '../feedback/Age.tsx'
import classes from './StepChart.module.css'

interface StepChartProps {
  readonly label: string
  /** What the lines are called, in the order of the values. At most three: each has its own colour and stroke. */
  readonly lines: readonly string[]
  /** Oldest first. */
  readonly moments: readonly Moment[]
  readonly format: (value: number) => string
  /** 1024 where the values are bytes. @default 10 */
  readonly base?: 10 | 1024
}

const HEIGHT = 190
const BOX = { left: 52, top: 10, bottom: HEIGHT - 24 }
/** Where the browser has not measured yet. */
const USUAL_WIDTH = 640

/**
 * Values that hold until they change, over time. Read by pointer, by arrow keys, and as a table: nothing is shown by
 * colour alone.
 */
export function StepChart({ label, lines, moments, format, base = 10 }: StepChartProps) {
  const now = useNow()
  const { ref, width: measured } = useElementSize<HTMLDivElement>()
  const [looked, setLooked] = useState<number>()
  const width = measured === 0 ? USUAL_WIDTH : measured
  const frame = frameOf(moments, now, base)
  const right = width - 8
  const scale = scaleIn(frame, { ...BOX, right })
  const last = moments.length - 1
  const index = Math.min(looked ?? last, last)
  const here = moments[index]
  if (here === undefined) return null
  const told = lines.map((line, at) => `${line} ${textOf(here.values[at], format)}`).join(', ')

  const onKey = (event: KeyboardEvent): void => {
    const next = moved(event.key, index, last)
    if (next === undefined) return
    event.preventDefault()
    // At the end it follows what comes.
    setLooked(next === last ? undefined : next)
  }
  const onPointer = (event: PointerEvent<HTMLElement>): void => {
    const { left } = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - left - BOX.left) / (right - BOX.left)
    setLooked(indexAt(moments, frame.from + share * (frame.to - frame.from)))
  }
  return (
    <figure className={classes.chart} aria-label={label}>
      <figcaption className={classes.legend}>
        {lines.map((line, at) => (
          <span key={line} className={classes.key}>
            <svg width={26} height={10} aria-hidden>
              <path d="M1 5H25" className={classes.line} data-line={at} />
            </svg>
            {line} <b className="tabular">{textOf(here.values[at], format)}</b>
          </span>
        ))}
        <span className={classes.when}>
          {looked === undefined || index === last ? 'now' : <>since {momentText(new Date(here.at).toISOString())}</>}
        </span>
      </figcaption>
      <div
        ref={ref}
        className={classes.plot}
        role="slider"
        tabIndex={0}
        aria-label={`${label}, changes over time`}
        aria-valuemin={1}
        aria-valuemax={moments.length}
        aria-valuenow={index + 1}
        aria-valuetext={`${momentText(new Date(here.at).toISOString())}: ${told}`}
        onKeyDown={onKey}
        onPointerMove={onPointer}
        onPointerLeave={() => setLooked(undefined)}
        onBlur={() => setLooked(undefined)}
      >
        <svg width={width} height={HEIGHT} aria-hidden>
          <Grid frame={frame} scale={scale} right={right} format={format} />
          {lines.map((line, at) => (
            <path
              key={line}
              d={stepPath(moments, at, frame.to, scale)}
              className={classes.line}
              data-line={at}
              fill="none"
            />
          ))}
          {looked !== undefined && <Look moment={here} x={scale.x(Math.max(here.at, frame.from))} scale={scale} />}
        </svg>
      </div>
      <AsTable label={label} lines={lines} moments={moments} format={format} />
    </figure>
  )
}

interface GridProps {
  readonly frame: Frame
  readonly scale: Scale
  readonly right: number
  readonly format: (value: number) => string
}

const Grid = ({ frame, scale, right, format }: GridProps) => (
  <>
    {frame.ticks.map((tick) => (
      <g key={tick}>
        <line x1={BOX.left} x2={right} y1={scale.y(tick)} y2={scale.y(tick)} className={classes.grid} />
        <text x={BOX.left - 8} y={scale.y(tick) + 4} textAnchor="end" className={classes.tick}>
          {format(tick)}
        </text>
      </g>
    ))}
    <text x={BOX.left} y={HEIGHT - 6} className={classes.tick}>
      {durationText(frame.to - frame.from)} ago
    </text>
    <text x={right} y={HEIGHT - 6} textAnchor="end" className={classes.tick}>
      now
    </text>
  </>
)

const Look = ({ moment, x, scale }: { readonly moment: Moment; readonly x: number; readonly scale: Scale }) => (
  <>
    <line x1={x} x2={x} y1={BOX.top} y2={BOX.bottom} className={classes.look} />
    {moment.values.map(
      (value, at) =>
        // The lines of a chart have no identity but their place.
        value !== null && <circle key={at} cx={x} cy={scale.y(value)} r={4} className={classes.dot} data-line={at} />,
    )}
  </>
)

const AsTable = ({ label, lines, moments, format }: Omit<StepChartProps, 'base'>) => (
  <details className={classes.table}>
    <summary>As a table</summary>
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={`${label} as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Since</th>
            {lines.map((line) => (
              <th key={line} scope="col">
                {line}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {moments.toReversed().map(({ at, values }) => (
            <tr key={at}>
              <th scope="row">
                <Age since={new Date(at).toISOString()} /> ago
              </th>
              {lines.map((line, index) => (
                <td key={line} className="tabular">
                  {textOf(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
)

const textOf = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '—' : format(value)

function moved(key: string, index: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, index - 1)
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(last, index + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}
