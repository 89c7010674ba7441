import { raise } from '../../src/processes/shared/needs-checkout.ts'

/** Takes the place of tools/index.ts in a release, which cannot start PostgreSQL or a control plane. */
throw raise.NeedsCheckout('this is a release: it has no PostgreSQL and no control plane of its own to start')
