import { Type, type Static } from 'typebox'
import { JOB_REASONS } from './apps.ts'
import { NOT_BLANK_PATTERN } from '../patterns.ts'

export const FreezeUser = Type.Object(
  { why: Type.String({ minLength: 1, maxLength: 500, pattern: NOT_BLANK_PATTERN }) },
  { additionalProperties: false },
)
export type FreezeUser = Static<typeof FreezeUser>

export const ReconcileRequest = Type.Object(
  { reason: Type.Enum([...JOB_REASONS], { description: 'Why it is reconciled.' }) },
  { additionalProperties: false },
)
export type ReconcileRequest = Static<typeof ReconcileRequest>

export const FailJob = Type.Object(
  { error: Type.String({ minLength: 1, maxLength: 2000, pattern: NOT_BLANK_PATTERN }) },
  { additionalProperties: false },
)
export type FailJob = Static<typeof FailJob>
