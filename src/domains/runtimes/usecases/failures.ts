import { defineFailures } from '../../../kernel/index.ts'

/** What keeps a wish about a runtime from being granted. */
export const raise = defineFailures({
  RuntimesUnseen: {
    whoseMove: 'operator',
    retryable: true,
    nextStep:
      'Check that the control plane answers and serves ClassRuntimes: `kubectl apply -f deploy/crds`. Caelus retries automatically.',
  },
  RuntimeExists: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Choose another name, or change the one that is there with `caelus apply-runtime`.',
  },
  RuntimeBeingDeleted: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Wait until it is gone (`caelus explain-runtime` says what is left), then send it again.',
  },
})
