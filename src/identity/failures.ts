import { defineFailures } from '../kernel/index.ts'

export const raise = defineFailures({
  EmailTaken: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Use the user who has this email, or another email.',
  },
  UserInUse: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Delete what the message names first, wait until it is gone, and delete the user again.',
  },
})
