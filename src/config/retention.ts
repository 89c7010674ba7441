import { duration } from './kinds.ts'
import { section, type ValuesOf } from './section.ts'
import { variable } from './variable.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

export const RETENTION = section({
  title: 'Retention',
  readBy: '`up`, `api`, the workers and controllers',
  variables: {
    keepDecisions: variable(
      'CAELUS_KEEP_DECISIONS',
      duration(60 * minute, 3650 * day),
      '30d',
      'How long decisions are kept in the database. All processes of one installation should have the same value.',
    ),
    keepHistory: variable(
      'CAELUS_KEEP_HISTORY',
      duration(60 * minute, 3650 * day),
      '7d',
      'How long finished reconciles are kept in the database, for the history of deployments.',
    ),
    keepIdempotencyKeys: variable(
      'CAELUS_KEEP_IDEMPOTENCY_KEYS',
      duration(60 * minute, 365 * day),
      '24h',
      'How long a repeated request with the same Idempotency-Key gets the first response again.',
    ),
    keepClusterEvents: variable(
      'CAELUS_KEEP_CLUSTER_EVENTS',
      duration(60 * minute, 3650 * day),
      '90d',
      'How long the history of clusters is kept: their syncs and the changes of their status.',
    ),
  },
})

export type Retention = ValuesOf<typeof RETENTION>
