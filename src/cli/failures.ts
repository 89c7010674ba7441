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
  NameAmbiguous: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Say which one is meant by an id that the message lists.',
  },
  NotConfirmed: { whoseMove: 'user', retryable: false, nextStep: 'Answer yes, or pass --yes.' },
  RuntimeDegraded: {
    whoseMove: 'user',
    retryable: true,
    nextStep: '`caelus explain-runtime` says what is to be done; it recovers by itself after that.',
  },
  NotConvergedInTime: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Caelus continues without this command. `caelus explain` and `caelus status` show what is missing; --timeout waits longer.',
  },
})
