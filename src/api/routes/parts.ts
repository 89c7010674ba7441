import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Explanation, Failure, TimelineEntry } from '../../kernel/index.ts'
import { pathText, type FieldChange, type PreviewDiff } from '../../kube/index.ts'
import type { Actor, Listed } from '../../store/index.ts'
import {
  ID_PATTERN,
  type ExplanationView,
  type FailureView,
  type FieldChangeView,
  type Page,
  type PreviewView,
  type TimelineEntryView,
} from '../contract/index.ts'
import { callerOf } from '../http/guard.ts'
import { writeCursor } from '../http/paging.ts'
import { etagOf } from '../http/preconditions.ts'

/* What the routes of all domains share. */

export const actorOf = (request: FastifyRequest): Actor => {
  const { userId, role } = callerOf(request)
  return { userId, admin: role === 'admin' }
}

export const Id = Type.String({ pattern: ID_PATTERN })

export const pageView = <T, V>({ items, next }: Listed<T>, view: (item: T) => V): Page<V> => ({
  items: items.map(view),
  next_cursor: next === null ? null : writeCursor(next),
})

/** Sends the generation as ETag, for If-Match in a later write. */
export const tagged = <V extends { readonly generation: number }>(reply: FastifyReply, view: V): V => {
  void reply.header('etag', etagOf(view.generation))
  return view
}

/** Aborts when the client disconnects. */
export function whileConnected({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}

export const timeView = (when: number | string): string => new Date(when).toISOString()
export const maybeTimeView = (when: number | string | null): string | null => (when === null ? null : timeView(when))

export const failureView = ({ code, message, whoseMove, retryable, nextStep }: Failure): FailureView => ({
  code,
  message,
  whose_move: whoseMove,
  retryable,
  next_step: nextStep,
})

export const explanationView = ({ why, next, at, whoseMove, nextStep, blockers }: Explanation): ExplanationView => ({
  why: [...why],
  next,
  at: maybeTimeView(at),
  whose_move: whoseMove,
  next_step: nextStep,
  blockers: [...blockers],
})

export const previewView = ({ values, objects, leftAlone = [], notConsulted = [] }: PreviewDiff): PreviewView => ({
  values: values.map(fieldChangeView),
  objects: objects.map((object) => ({ ...object, fields: object.fields.map(fieldChangeView) })),
  ...(leftAlone.length > 0 && {
    left_alone: leftAlone.map(({ object, path, why }) => ({ object, field: path, because: why })),
  }),
  ...(notConsulted.length > 0 && { not_consulted: [...notConsulted] }),
})

export const fieldChangeView = ({ path, ...change }: FieldChange): FieldChangeView => ({
  field: pathText(path),
  ...change,
})

export const timelineView = (entry: TimelineEntry): TimelineEntryView => ({ ...entry, at: timeView(entry.at) })
