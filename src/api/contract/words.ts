import { Type } from 'typebox'

export const MOVERS = ['user', 'operator', 'platform', 'provider'] as const
export type Mover = (typeof MOVERS)[number]

export const ROLES = ['admin', 'member'] as const
export type Role = (typeof ROLES)[number]

export const DOMAINS = ['apps', 'clusters', 'runtimes', 'actions', 'edge'] as const
export type DomainName = (typeof DOMAINS)[number]

/** RFC 3339 in UTC. */
export const Timestamp = Type.String({ format: 'date-time' })
export const MaybeTimestamp = Type.Union([Timestamp, Type.Null()])

export const orNull = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
export const MaybeText = orNull(Type.String())
export const JsonObject = Type.Record(Type.String(), Type.Unknown())
