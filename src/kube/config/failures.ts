import { defineFailures, type FailureError } from '../../kernel/index.ts'

const raise = defineFailures({
  KubeConfigInvalid: {
    whoseMove: 'operator',
    retryable: false,
    nextStep: 'Correct the kubeconfig that the message names, or point KUBECONFIG to another one.',
  },
})

export const raiseConfig = (message: string, cause?: unknown): FailureError =>
  raise.KubeConfigInvalid(message, cause === undefined ? {} : { cause })
