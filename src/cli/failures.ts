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
  NoSuchDeployment: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Name it as `caelus list-deployments` shows it; with --all it shows everybody’s to admins.',
  },
  NoSuchProduct: { whoseMove: 'user', retryable: false, nextStep: 'Name it as `caelus list-products` shows it.' },
  NoSuchTemplate: { whoseMove: 'user', retryable: false, nextStep: 'Name it as `caelus list-templates` shows it.' },
  NoSuchOrganization: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'List your organizations with `caelus list-organizations`.',
  },
  NoSuchMember: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'List the members with `caelus list-members <organization>`.',
  },
  NoSuchUser: { whoseMove: 'user', retryable: false, nextStep: 'Name them as `caelus list-users` shows them.' },
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
