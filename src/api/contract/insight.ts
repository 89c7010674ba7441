import { Type, type Static } from 'typebox'
import { MOVERS, orNull, Timestamp } from './words.ts'

/* What every domain reports about an object: why, what next, what a change would do, what happened. */

export const FailureView = Type.Object(
  {
    code: Type.String({ description: 'PascalCase; listed in docs/reference/failures.md.' }),
    message: Type.String(),
    whose_move: Type.Enum([...MOVERS]),
    retryable: Type.Boolean(),
    next_step: Type.String(),
  },
  { description: 'Why it is not as desired, who has to act, and the next step.' },
)
export type FailureView = Static<typeof FailureView>

export const FieldChangeView = Type.Object({
  field: Type.String({ description: 'Such as `spec.template.spec.containers[name=app].image`.' }),
  change: Type.Enum(['added', 'removed', 'changed']),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
})
export type FieldChangeView = Static<typeof FieldChangeView>

export const ObjectChangeView = Type.Object({
  object: Type.String({ description: 'Such as `Ingress/web`.' }),
  change: Type.Enum(['created', 'deleted', 'changed']),
  fields: Type.Array(FieldChangeView),
})
export type ObjectChangeView = Static<typeof ObjectChangeView>

export const PreviewView = Type.Object(
  {
    values: Type.Array(FieldChangeView, { description: 'Changes of what the user wrote, merged with the defaults.' }),
    objects: Type.Array(ObjectChangeView, {
      description: 'Objects created, changed and deleted in the control plane.',
    }),
    left_alone: Type.Optional(
      Type.Array(Type.Object({ object: Type.String(), field: Type.String(), because: Type.String() }), {
        description: 'Fields that would stay as they are although they differ, and why.',
      }),
    ),
    not_consulted: Type.Optional(
      Type.Array(Type.String(), { description: 'What the API server could not be asked about, and why.' }),
    ),
  },
  { description: 'The exact field changes that saving would make; nothing is saved. Secrets are masked.' },
)
export type PreviewView = Static<typeof PreviewView>

export const ExplanationView = Type.Object(
  {
    why: Type.Array(Type.String(), { description: 'Why it is in this state, most important reason first.' }),
    next: Type.String({ description: 'What happens next.' }),
    at: orNull(Timestamp, 'When it happens; null when it depends on a person.'),
    whose_move: Type.Enum([...MOVERS, 'nobody']),
    next_step: orNull(Type.String(), 'What a person can do, if a person has to act.'),
    blockers: Type.Array(Type.String(), { description: 'What blocks a deletion, one sentence each.' }),
  },
  { description: 'Why an object is in its state, what happens next, when, and who has to act.' },
)
export type ExplanationView = Static<typeof ExplanationView>

export const TIMELINE_SOURCES = ['audit', 'decision', 'job', 'event', 'phase'] as const

export const TimelineEntryView = Type.Object({
  at: Timestamp,
  source: Type.Enum([...TIMELINE_SOURCES], {
    description:
      'audit: a change by a person or program; decision: the controller decided; job: a run began or ended; event: a Kubernetes Event; phase: the phase changed.',
  }),
  actor: orNull(Type.String(), 'An email, `an admin`, `platform`, an id, or the name of a process or controller.'),
  object: orNull(Type.String(), 'The child it is about, such as `Pod/shop-1`; null: the object itself.'),
  what: Type.String({ description: 'One word, such as created, install or available.' }),
  message: Type.String({ description: 'What happened, as a sentence.' }),
  count: Type.Integer({ description: 'How often it was reported.' }),
  tone: Type.Enum(['good', 'wait', 'bad', 'info']),
})
export type TimelineEntryView = Static<typeof TimelineEntryView>

export const TimelineView = Type.Object(
  { items: Type.Array(TimelineEntryView) },
  { description: 'What happened to an object, newest first.' },
)
export type TimelineView = Static<typeof TimelineView>

export const RUN_OUTCOMES = ['settled', 'checkAgain', 'retry', 'terminal', 'lost', 'handedBack'] as const

export const DecisionView = Type.Object(
  {
    id: Type.String(),
    at: Timestamp,
    controller: Type.String(),
    kind: Type.String(),
    object_id: Type.String(),
    decision: Type.String({ description: 'What was decided, as a sentence.' }),
    because: Type.String({ description: 'Why the run waits or what it failed with; empty: neither.' }),
    outcome: orNull(
      Type.Enum([...RUN_OUTCOMES]),
      'How the run ended; null: recorded by a version that did not keep it.',
    ),
    failure: orNull(FailureView, 'What the run failed with.'),
    ms: orNull(Type.Integer(), 'How long the run took.'),
    attempt: orNull(Type.Integer(), 'How many runs had failed before.'),
    repeats: Type.Integer({ description: 'How often the same was decided again from the same input.' }),
    last_at: Type.String({ format: 'date-time', description: 'When it was decided last.' }),
  },
  { description: 'One decision of a controller, and how its run ended.' },
)
export type DecisionView = Static<typeof DecisionView>

export const DecisionDetail = Type.Object(
  { ...DecisionView.properties, input: Type.Unknown(), output: Type.Unknown() },
  { description: 'With the complete input of the decide function. Secrets are masked.' },
)
export type DecisionDetail = Static<typeof DecisionDetail>

export const ReplayView = Type.Object(
  {
    result: Type.Enum(['same', 'different', 'not_replayable']),
    because: orNull(Type.String(), 'Why it cannot be replayed.'),
    changes: Type.Array(FieldChangeView, {
      description: 'The fields that differ between the recorded decision (before) and the one made now (after).',
    }),
    version: Type.String({ description: 'The version of the server that decided again.' }),
  },
  {
    description: 'The recorded decision compared with what this version decides from the same input at the same time.',
  },
)
export type ReplayView = Static<typeof ReplayView>
