import { duration, integer } from './kinds.ts'
import { section } from './section.ts'
import { variable } from './variable.ts'

const second = 1000
const minute = 60 * second

/** The longest that the work of a killed worker waits for another one. */
const LONGEST_TAKEOVER = 30 * second

export const WORKERS = section({
  title: 'Workers and controllers',
  readBy: '`up`, `api`, the workers and controllers',
  variables: {
    concurrency: variable(
      'CAELUS_WORKER_CONCURRENCY',
      integer(1, 1000),
      '8',
      'How many reconciles one worker runs at once.',
    ),
    tenantShare: variable(
      'CAELUS_WORKER_TENANT_SHARE',
      integer(1, 1000),
      '4',
      'How many of them may belong to one tenant.',
    ),
    lease: variable(
      'CAELUS_WORKER_LEASE',
      duration(second, 10 * minute),
      '15s',
      'A claim that is not renewed for this long expires, and another worker may take it. Together with CAELUS_WORKER_POLL at most 30s.',
    ),
    poll: variable(
      'CAELUS_WORKER_POLL',
      duration(100, 10 * minute),
      '5s',
      'How often a worker asks for due work when nothing notified it.',
    ),
    reconcileTimeout: variable(
      'CAELUS_RECONCILE_TIMEOUT',
      duration(second, 60 * minute),
      '10m',
      'The longest that one reconcile of a controller may take. Rollouts of apps have limits of their own.',
    ),
  },
  check: ({ poll, lease, tenantShare, concurrency }) => [
    poll >= lease &&
      `CAELUS_WORKER_POLL (${poll} ms) must be less than CAELUS_WORKER_LEASE (${lease} ms): lost claims would be found late`,
    lease + poll > LONGEST_TAKEOVER &&
      `CAELUS_WORKER_LEASE (${lease} ms) and CAELUS_WORKER_POLL (${poll} ms) must not exceed ${LONGEST_TAKEOVER} ms together: the work of a killed worker would wait longer`,
    tenantShare > concurrency &&
      `CAELUS_WORKER_TENANT_SHARE (${tenantShare}) must not exceed CAELUS_WORKER_CONCURRENCY (${concurrency}): one tenant could fill the worker`,
  ],
})
