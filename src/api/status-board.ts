import { sameValue, type Clock } from '../kernel/index.ts'
import {
  DOMAINS,
  type ComponentView,
  type DemoObjectView,
  type DomainName,
  type DomainView,
  type KubernetesView,
  type PreparationView,
  type QueueView,
  type StatusView,
} from './contract/index.ts'
import type { Audience, Events } from './live/events.ts'

type Reported<V> = Omit<V, 'name' | 'since'>

/**
 * What this process knows of its parts, told by the parts themselves and read by `GET /status`.
 *
 * `since` moves only when the health did, and a report that says nothing new is no event.
 */
export interface StatusBoard {
  component(name: string, report: Reported<ComponentView>): void
  /** `ofMember`: the report to show to a member, about their own objects. Without it, members see the report of all. */
  domain(name: DomainName, report: Reported<DomainView>, ofMember?: MemberReport): void
  preparation(report: PreparationView): void
  kubernetes(report: KubernetesView | null): void
  demo(objects: readonly DemoObjectView[]): void
  /** Called for every status request; with a member, for the jobs of their own. */
  queue(ask: (member?: string) => Promise<QueueView>): void
  /** `member`: the id of a user who sees only what is theirs. */
  view(member?: string): Promise<StatusView>
}

export type MemberReport = (userId: string) => Promise<Reported<DomainView>>

const TONES = { ok: 'good', preparing: 'wait', degraded: 'bad', down: 'bad', disabled: 'info' } as const

export function statusBoard({
  version,
  clock,
  events,
}: {
  version: string
  clock: Clock
  events: Events
}): StatusBoard {
  const now = (): string => new Date(clock.now()).toISOString()
  const startedAt = now()
  const components = new Map<string, ComponentView>()
  const domains = new Map<DomainName, DomainView>(
    DOMAINS.map((name) => [
      name,
      {
        name,
        enabled: false,
        health: 'disabled',
        message: 'not part of this installation',
        objects: 0,
        not_ready: 0,
        since: startedAt,
      },
    ]),
  )
  let preparation: PreparationView | null = null
  let kubernetes: KubernetesView | null = null
  let demo: readonly DemoObjectView[] | undefined
  let askQueue: ((member?: string) => Promise<QueueView>) | undefined
  const memberReports = new Map<DomainName, MemberReport>()

  const tell = (
    kind: string,
    object_id: string,
    health: keyof typeof TONES,
    message: string,
    audience: Audience = 'all',
  ): void =>
    events.publish({ topic: 'status', kind, object_id, reason: health, message, tone: TONES[health] }, audience)

  const post = <V extends ComponentView | DomainView>(
    all: Map<V['name'], V>,
    kind: string,
    name: V['name'],
    report: Reported<V>,
    audience?: Audience,
  ): void => {
    const before = all.get(name)
    const since = before !== undefined && before.health === report.health ? before.since : now()
    const next = { ...report, name, since } as unknown as V
    if (sameValue(before, next)) return
    all.set(name, next)
    tell(kind, name, report.health, report.message, audience)
  }

  const shownTo = async (member: string | undefined, all: DomainView): Promise<DomainView> => {
    const own = member === undefined ? undefined : await memberReports.get(all.name)?.(member)
    if (own === undefined) return all
    return { ...own, name: all.name, since: own.health === all.health ? all.since : startedAt }
  }

  return {
    component: (name, report) => post(components, 'Component', name, report),
    domain(name, report, member) {
      if (member !== undefined) memberReports.set(name, member)
      post(domains, 'Domain', name, report, member === undefined ? 'all' : 'admins')
    },
    preparation(report) {
      if (sameValue(preparation, report)) return
      preparation = report
      const step = report.steps.findLast(({ state }) => state !== 'waiting')
      const health = { running: 'preparing', done: 'ok', failed: 'down' } as const
      tell('Preparation', 'kubernetes', health[report.state], step?.message ?? step?.title ?? '')
    },
    kubernetes(report) {
      if (sameValue(kubernetes, report)) return
      kubernetes = report
      tell('Kubernetes', 'kubernetes', report === null ? 'down' : 'ok', report === null ? 'gone' : report.version)
    },
    demo(objects) {
      if (sameValue(demo, objects)) return
      demo = objects
      const waiting = objects.find(({ ready }) => ready !== 'True')
      tell('Demo', 'demo', waiting === undefined ? 'ok' : 'preparing', waiting?.message ?? 'the demo has converged')
    },
    queue(ask) {
      askQueue = ask
    },
    async view(member) {
      return {
        version,
        started_at: startedAt,
        now: now(),
        components: [...components.values()],
        preparation,
        kubernetes,
        queue: (await askQueue?.(member).catch(() => null)) ?? null,
        domains: await Promise.all([...domains.values()].map((all) => shownTo(member, all))),
        ...(demo !== undefined && { demo: [...demo] }),
      }
    },
  }
}
