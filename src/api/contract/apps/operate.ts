import { Type, type Static } from 'typebox'
import { JOB_REASONS } from './apps.ts'
import { ID_PATTERN, NOT_BLANK_PATTERN } from '../patterns.ts'
import { orNull, Timestamp } from '../words.ts'

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

export const DeploymentLimitView = Type.Object({
  most: orNull(Type.Integer(), 'The most deployments that the user may have. Null: no limit.'),
  is_default: Type.Boolean({ description: 'Whether it is the limit of the configuration.' }),
  deployments: Type.Integer({ description: 'How many the user has.' }),
})
export type DeploymentLimitView = Static<typeof DeploymentLimitView>

export const DeploymentLimitUpdate = Type.Object(
  {
    most: Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000 }), Type.Null()], {
      description: 'Null: the limit of the configuration.',
    }),
  },
  { additionalProperties: false },
)
export type DeploymentLimitUpdate = Static<typeof DeploymentLimitUpdate>

export const OwnedDomainView = Type.Object(
  {
    suffix: Type.String(),
    user_id: Type.String(),
    email: Type.String(),
    created_at: Timestamp,
  },
  { description: 'A domain that only one user may order, with everything below it.' },
)
export type OwnedDomainView = Static<typeof OwnedDomainView>

export const OwnedDomainCreate = Type.Object(
  { suffix: Type.String({ minLength: 1, maxLength: 253 }), user_id: Type.String({ pattern: ID_PATTERN }) },
  { additionalProperties: false },
)
export type OwnedDomainCreate = Static<typeof OwnedDomainCreate>
