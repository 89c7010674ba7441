import { raise } from '../../src/processes/shared/needs-checkout.ts'

/** Stands where the tools are in a checkout: a release cannot build and start what a newcomer lacks. */
throw raise.NeedsCheckout('this is a release: it has no PostgreSQL and no control plane of its own to start')
