import { useElementSize } from '@mantine/hooks'
import { Link } from 'wouter'
import type { StatusView } from '../../lib/api/contract.ts'
import { drawControlPlane } from './drawing.ts'
import type { Box, Wire } from './drawing.ts'
import classes from './ControlPlane.module.css'

const STAGES = ['observe', 'decide', 'act', 'record'] as const
const STAGE_GAP = 5
const NARROW = 760

/** The one control plane, as it is at this moment: sources wake keys, the kernel converges them, the world answers. */
export function ControlPlane({ status }: { readonly status: StatusView }) {
  const { ref, width } = useElementSize()
  const {
    width: w,
    height: h,
    boxes,
    wires,
    loop,
  } = drawControlPlane(status, width > 0 && width < NARROW ? 'tall' : 'wide')
  return (
    <div ref={ref} className={classes.frame}>
      <svg
        viewBox={`-2 -2 ${w + 4} ${h + 4}`}
        role="group"
        aria-label="Drawing of the control plane"
        className={classes.drawing}
        data-shape={w < NARROW ? 'tall' : 'wide'}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M 1 1 L 6 4 L 1 7" className={classes.arrow} />
          </marker>
        </defs>
        <g aria-hidden>
          <path d={loop.path} className={classes.loop} markerEnd="url(#arrow)" />
          {wires.map((wire) => (
            <WirePath key={wire.id} wire={wire} />
          ))}
          <text x={loop.labelX} y={loop.labelY} className={classes.loopLabel}>
            watches, NOTIFY, timers, drift scan
          </text>
        </g>
        {boxes.map((box) => (
          <BoxShape key={box.id} box={box} />
        ))}
      </svg>
    </div>
  )
}

function WirePath({ wire }: { readonly wire: Wire }) {
  return (
    <>
      <path d={wire.path} className={classes.wire} data-off={wire.off || undefined} />
      {wire.busy && !wire.off && <path d={wire.path} className={classes.flow} />}
    </>
  )
}

function BoxShape({ box }: { readonly box: Box }) {
  const body = (
    <g
      className={classes.box}
      data-kind={box.kind}
      data-tone={box.tone}
      data-box={box.id}
      transform={`translate(${box.x} ${box.y})`}
    >
      <rect width={box.width} height={box.height} rx={10} />
      <Texts box={box} />
    </g>
  )
  if (box.href === undefined) return body
  return (
    <Link href={box.href} className={classes.link} aria-label={`${box.title}: ${box.detail}`}>
      {body}
    </Link>
  )
}

function Texts({ box }: { readonly box: Box }) {
  const compact = box.kind === 'source' && box.width < 160
  const top = box.kind === 'kernel' ? 30 : box.height / 2 - 3
  const left = compact ? 12 : 34
  return (
    <>
      <Mark tone={box.tone} x={compact ? box.width - 16 : 18} y={compact ? top + 13 : top - 5} />
      <text x={left} y={top} className={classes.title}>
        {box.title}
      </text>
      <text x={left} y={top + 18} className={classes.detail}>
        {compact ? box.detail.replace(/^(PostgreSQL|Kubernetes) /, '') : box.detail}
      </text>
      {box.kind === 'kernel' && <Stages width={box.width} y={box.height - 46} />}
    </>
  )
}

/** Shape and colour both tell: filled disc, ring, square, faint ring. */
function Mark({ tone, x, y }: { readonly tone: Box['tone']; readonly x: number; readonly y: number }) {
  if (tone === 'bad') return <rect x={x - 4.5} y={y - 4.5} width={9} height={9} rx={1.5} className={classes.mark} />
  return <circle cx={x} cy={y} r={4.5} className={classes.mark} />
}

function Stages({ width, y }: { readonly width: number; readonly y: number }) {
  const each = (width - 24 + STAGE_GAP) / STAGES.length
  return (
    <g aria-hidden>
      {STAGES.map((stage, at) => (
        <g key={stage} transform={`translate(${12 + at * each} ${y})`}>
          <rect width={each - STAGE_GAP} height={32} rx={6} className={classes.stage} />
          <text x={(each - STAGE_GAP) / 2} y={20} className={classes.stageText}>
            {stage}
          </text>
        </g>
      ))}
    </g>
  )
}
