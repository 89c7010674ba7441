import type { DomainName, StatusView } from '../../lib/api/contract.ts'
import { spokenHealth } from '../../lib/tone.ts'
import type { Tone } from '../../lib/tone.ts'

/*
 * Where everything stands in the drawing of the control plane. Pure: from the status to boxes and wires; the
 * component only paints them.
 */

export interface Box {
  readonly id: string
  readonly kind: 'source' | 'queue' | 'kernel' | 'domain'
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly title: string
  readonly detail: string
  readonly tone: Tone
  /** Domains lead to their page. */
  readonly href?: string
}

export interface Wire {
  readonly id: string
  readonly path: string
  /** Something travels on it at this moment. */
  readonly busy: boolean
  /** Leads to something that does not run here. */
  readonly off: boolean
}

export interface Drawing {
  readonly width: number
  readonly height: number
  readonly boxes: readonly Box[]
  readonly wires: readonly Wire[]
  /** The way back: changes in the world wake keys again. */
  readonly loop: { readonly path: string; readonly labelX: number; readonly labelY: number }
}

export type Shape = 'wide' | 'tall'

type Place = Pick<Box, 'x' | 'y' | 'width' | 'height'>
type Content = Omit<Box, keyof Place>

const TITLES: Record<DomainName, string> = {
  apps: 'Apps',
  clusters: 'Clusters',
  runtimes: 'Runtimes',
  actions: 'Actions',
  edge: 'Edge',
}

export function drawControlPlane(status: StatusView, shape: Shape): Drawing {
  const layout = shape === 'wide' ? wideLayout(status.domains.length) : tallLayout(status.domains.length)
  const put = (content: Content, place: Place): Box => ({ ...content, ...place })
  const sources = sourceContents(status).map((content, at) => put(content, layout.source(at)))
  const queue = put(queueContent(status), layout.queue)
  const kernel = put(kernelContent(status), layout.kernel)
  const domains = domainContents(status).map((content, at) => put(content, layout.domain(at)))
  const busy = (status.queue?.running ?? 0) + (status.queue?.due ?? 0) > 0
  const join = shape === 'wide' ? sideways : downwards
  return {
    width: layout.width,
    height: layout.height,
    boxes: [...sources, queue, kernel, ...domains],
    wires: [
      ...sources.map((source) => ({
        id: `${source.id}-queue`,
        path: join(source, queue),
        busy,
        off: source.tone !== 'good',
      })),
      { id: 'queue-kernel', path: join(queue, kernel), busy, off: status.queue === null },
      ...domains.map((domain, at) => ({
        id: `kernel-${domain.id}`,
        path: shape === 'wide' ? sideways(kernel, domain) : layout.spine(at),
        busy: busy && domain.tone !== 'info',
        off: domain.tone === 'info',
      })),
    ],
    loop: layout.loop,
  }
}

function sourceContents(status: StatusView): Content[] {
  const component = (name: string) => status.components.find((each) => each.name === name)
  const tone = (name: string): Tone => spokenHealth(component(name)?.health ?? 'disabled').tone
  const version = (name: string): string =>
    component(name)?.version ?? spokenHealth(component(name)?.health ?? 'disabled').word.toLowerCase()
  const nodes = status.kubernetes?.nodes.length
  return [
    {
      id: 'rows',
      kind: 'source',
      title: 'Rows',
      detail: `PostgreSQL ${version('postgresql')}`,
      tone: tone('postgresql'),
    },
    {
      id: 'resources',
      kind: 'source',
      title: 'Resources',
      detail: `Kubernetes ${status.kubernetes?.version ?? version('kubernetes')}`,
      tone: tone('kubernetes'),
    },
    {
      id: 'pods',
      kind: 'source',
      title: 'Pods',
      detail: nodes === undefined ? 'no nodes yet' : counted(nodes, 'node'),
      tone: tone('kubernetes'),
    },
  ]
}

const queueContent = ({ queue }: StatusView): Content => ({
  id: 'queue',
  kind: 'queue',
  title: 'Queue',
  detail:
    queue === null
      ? 'not reachable'
      : queue.parked > 0
        ? `${queue.parked} parked`
        : `${queue.due} due, ${queue.waiting} waiting`,
  tone: queue === null ? 'bad' : queue.parked > 0 ? 'bad' : 'good',
})

const kernelContent = ({ queue }: StatusView): Content => ({
  id: 'kernel',
  kind: 'kernel',
  title: 'Kernel',
  detail: queue === null ? 'waiting for the queue' : `${queue.running} running`,
  tone: queue === null ? 'wait' : 'good',
})

const domainContents = ({ domains }: StatusView): Content[] =>
  domains.map((domain) => ({
    id: domain.name,
    kind: 'domain',
    title: TITLES[domain.name],
    detail: domainDetail(domain),
    tone: spokenHealth(domain.enabled ? domain.health : 'disabled').tone,
    href: `/${domain.name}`,
  }))

function domainDetail({ enabled, health, objects, not_ready }: StatusView['domains'][number]): string {
  if (!enabled) return 'not enabled here'
  if (health !== 'ok') return spokenHealth(health).word.toLowerCase()
  return not_ready > 0 ? `${counted(objects, 'object')}, ${not_ready} not ready` : counted(objects, 'object')
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

interface Layout {
  readonly width: number
  readonly height: number
  readonly source: (at: number) => Place
  readonly queue: Place
  readonly kernel: Place
  readonly domain: (at: number) => Place
  readonly spine: (at: number) => string
  readonly loop: Drawing['loop']
}

function wideLayout(domains: number): Layout {
  const step = 62
  const column = domains * step - 12
  const middle = column / 2
  const bottom = column + 34
  return {
    width: 1080,
    height: column + 44,
    source: (at) => ({ x: 0, y: middle - 107 + at * 76, width: 220, height: 62 }),
    queue: { x: 300, y: middle - 42, width: 170, height: 84 },
    kernel: { x: 550, y: middle - 62, width: 230, height: 124 },
    domain: (at) => ({ x: 860, y: at * step, width: 220, height: 50 }),
    spine: () => '',
    loop: {
      path: `M 970 ${column + 4} V ${bottom - 12} Q 970 ${bottom} 958 ${bottom} H 122 Q 110 ${bottom} 110 ${bottom - 12} V ${middle + 113}`,
      labelX: 540,
      labelY: bottom,
    },
  }
}

function tallLayout(domains: number): Layout {
  const top = 352
  const step = 58
  const end = top + domains * step
  const domain = (at: number): Place => ({ x: 44, y: top + at * step, width: 292, height: 48 })
  return {
    width: 360,
    height: end + 22,
    source: (at) => ({ x: 24 + at * 112, y: 0, width: 106, height: 58 }),
    queue: { x: 80, y: 96, width: 200, height: 62 },
    kernel: { x: 60, y: 196, width: 240, height: 118 },
    domain,
    spine: (at) =>
      `M 180 314 V 326 Q 180 334 172 334 H 34 Q 26 334 26 342 V ${domain(at).y + 16} Q 26 ${domain(at).y + 24} 34 ${domain(at).y + 24} H 44`,
    loop: {
      path: `M 180 ${end - 10} V ${end + 2} Q 180 ${end + 8} 172 ${end + 8} H 14 Q 6 ${end + 8} 6 ${end} V 37 Q 6 29 14 29 H 24`,
      labelX: 198,
      labelY: end + 8,
    },
  }
}

function sideways(from: Place, to: Place): string {
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2]
  const [x2, y2] = [to.x, to.y + to.height / 2]
  const bend = (x2 - x1) / 2
  return `M ${x1} ${y1} C ${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

function downwards(from: Place, to: Place): string {
  const [x1, y1] = [from.x + from.width / 2, from.y + from.height]
  const [x2, y2] = [to.x + to.width / 2, to.y]
  const bend = (y2 - y1) / 2
  return `M ${x1} ${y1} C ${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`
}
