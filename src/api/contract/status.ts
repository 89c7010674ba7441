import { Type, type Static } from 'typebox'
import { DOMAINS, MaybeText, MaybeTimestamp, orNull, Timestamp } from './words.ts'

export const HEALTHS = ['ok', 'preparing', 'degraded', 'down', 'disabled'] as const
export type Health = (typeof HEALTHS)[number]

export const ComponentView = Type.Object({
  name: Type.String({ description: 'Such as postgresql, kubernetes, console, worker.' }),
  health: Type.Enum([...HEALTHS]),
  message: Type.String(),
  version: MaybeText,
  since: Type.String({ format: 'date-time', description: 'Since when it has this health.' }),
})
export type ComponentView = Static<typeof ComponentView>

export const StepView = Type.Object({
  name: Type.String(),
  title: Type.String(),
  state: Type.Enum(['waiting', 'running', 'done', 'failed']),
  started_at: MaybeTimestamp,
  ended_at: MaybeTimestamp,
  message: orNull(Type.String(), 'What it is doing, or why it failed.'),
})
export type StepView = Static<typeof StepView>

export const PreparationView = Type.Object(
  {
    state: Type.Enum(['running', 'done', 'failed']),
    started_at: Timestamp,
    ended_at: MaybeTimestamp,
    steps: Type.Array(StepView),
  },
  { description: 'Progress of the local control plane. Null for an external one.' },
)
export type PreparationView = Static<typeof PreparationView>

export const NodeView = Type.Object({
  name: Type.String(),
  ready: Type.Boolean(),
  version: Type.String(),
  since: Timestamp,
})
export type NodeView = Static<typeof NodeView>

export const KubernetesView = Type.Object({
  version: Type.String(),
  origin: Type.Enum(['local', 'external'], {
    description: 'local: started by this installation; external: from a kubeconfig.',
  }),
  nodes: Type.Array(NodeView),
})
export type KubernetesView = Static<typeof KubernetesView>

export const QueueView = Type.Object({
  due: Type.Integer(),
  running: Type.Integer(),
  waiting: Type.Integer(),
  parked: Type.Integer(),
})
export type QueueView = Static<typeof QueueView>

export const DomainView = Type.Object({
  name: Type.Enum([...DOMAINS]),
  enabled: Type.Boolean({ description: 'False: this installation runs no controllers for it.' }),
  health: Type.Enum([...HEALTHS]),
  message: Type.String(),
  objects: Type.Integer(),
  not_ready: Type.Integer(),
  since: Timestamp,
})
export type DomainView = Static<typeof DomainView>

export const DemoObjectView = Type.Object(
  {
    kind: Type.String(),
    id: Type.String(),
    ready: Type.Enum(['True', 'False', 'Unknown']),
    reason: Type.String(),
    message: Type.String(),
    since: Timestamp,
  },
  { description: 'An object of the built-in example, converging before the eyes of a newcomer.' },
)
export type DemoObjectView = Static<typeof DemoObjectView>

export const StatusView = Type.Object(
  {
    version: Type.String(),
    started_at: Timestamp,
    now: Timestamp,
    components: Type.Array(ComponentView),
    preparation: orNull(PreparationView),
    kubernetes: orNull(KubernetesView),
    queue: orNull(QueueView),
    domains: Type.Array(DomainView),
    demo: Type.Optional(Type.Array(DemoObjectView)),
  },
  { description: 'What this installation is made of, and how each part is.' },
)
export type StatusView = Static<typeof StatusView>

export const ReadinessView = Type.Object({
  status: Type.Enum(['ok', 'failing', 'stopping']),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      ok: Type.Boolean(),
      required: Type.Boolean({ description: 'Whether it decides about the status.' }),
      message: Type.String(),
      age_ms: Type.Integer({ description: 'How old this answer is.' }),
    }),
  ),
})
export type ReadinessView = Static<typeof ReadinessView>

export const ConfigEntryView = Type.Object({
  name: Type.String(),
  value: orNull(Type.String(), 'Masked when it is a secret; null when there is none.'),
  source: Type.Enum(['default', 'environment', 'flag']),
  secret: Type.Boolean(),
  description: Type.String(),
})
export type ConfigEntryView = Static<typeof ConfigEntryView>
