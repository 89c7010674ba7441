import { defineFailures } from '../../kernel/index.ts'

export const raise = defineFailures({
  NeedsCheckout: {
    whoseMove: 'user',
    retryable: false,
    nextStep:
      'Run it from a checkout of the sources. With a PostgreSQL and a cluster of yours, run the processes as docs/deploy.md says.',
  },
})
