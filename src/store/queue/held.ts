/**
 * Begins a statement about the key `$1` of this queue that changes something only under the fence `$2`: `held` has a row
 * with the id of the key then, and none otherwise. The job's row is locked for as long as the statement takes, so that the
 * lease cannot pass on between the comparison and the write: a claim passes over locked rows and comes back.
 */
export const whileHeld = (queue: string, kind: string): string => `
  with held as (
    select id::uuid from caelus.job
    where queue = '${queue}' and kind = '${kind}' and id = $1 and fence = $2
    for share
  )`
