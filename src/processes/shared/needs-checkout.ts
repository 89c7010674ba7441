import { defineFailures } from '../../kernel/index.ts'

export const raise = defineFailures({
  NeedsCheckout: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Run it from a checkout of the sources. To use your own PostgreSQL and Kubernetes, see docs/deploy.md.',
  },
})
