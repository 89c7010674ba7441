import { APPS_QUEUE, DEPLOYMENT } from '../queue.ts'

/**
 * Begins a statement of deployment `$1` that changes something only under the fence `$2`. The job's row is locked for as
 * long as the statement takes, so that the lease cannot pass on between the comparison and the write: a claim passes over
 * locked rows and comes back.
 */
export const HELD = `
  with held as (
    select id::uuid from caelus.job
    where queue = '${APPS_QUEUE}' and kind = '${DEPLOYMENT}' and id = $1 and fence = $2
    for share
  )`
