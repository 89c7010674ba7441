import { defineFailures } from '../kernel/index.ts'

export const raise = defineFailures({
  CommandFailed: {
    whoseMove: 'operator',
    retryable: true,
    nextStep: 'Read the message; if it does not tell what to change, run the command again and report it.',
  },
  ServerUnreachable: {
    whoseMove: 'user',
    retryable: true,
    nextStep: 'Start one with `caelus up`, or point CAELUS_URL to a server that runs.',
  },
  InputUnreadable: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Correct the option that the message names.',
  },
  NotConfirmed: { whoseMove: 'user', retryable: false, nextStep: 'Answer yes, or pass --yes.' },
  NotReadyInTime: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'Look at `caelus status` for the part that is not ready, or wait longer with --timeout.',
  },
  RuntimeDegraded: {
    whoseMove: 'user',
    retryable: true,
    nextStep: '`caelus explain-runtime` says what is to be done; it recovers by itself after that.',
  },
  NotConvergedInTime: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'It goes on without you. `caelus explain` says what it waits for; wait longer with --timeout.',
  },
})
