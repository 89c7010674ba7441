/**
 * Begins a statement about the key `$1` of this queue that changes something only under the fence `$2`: `held` has a row
 * with the id of the key then, and none otherwise. The job's row is locked for as long as the statement takes, so that the
 * lease cannot pass on between the comparison and the write: a claim passes over locked rows and comes back.
 */
export const whileHeld = (queue: string, kind: string): string => `with ${heldKey(queue, kind)}`

/** `held` of `whileHeld` alone, which locks the job after the rows that the part `before` of the statement locks. */
export const heldKey = (queue: string, kind: string, before?: string): string => `
  held as (
    select id::uuid from caelus.job
    where queue = '${queue}' and kind = '${kind}' and id = $1 and fence = $2
      ${before === undefined ? '' : `and exists (select from ${before})`}
    for share
  )`

/**
 * The same for several keys: `$1` is a JSON list of `{ id, fence, … }`, and `held` has those of them that are held under their
 * fence, each as `given`.
 */
export const whileAllHeld = (queue: string, kind: string, lock: 'wait' | 'nowait' = 'wait'): string => `
  with held as (
    select job.id::uuid, job.locked_by, given
    from jsonb_array_elements($1::jsonb) given
    join caelus.job on job.id = given ->> 'id' and job.fence = (given ->> 'fence')::bigint
    where job.queue = '${queue}' and job.kind = '${kind}'
    order by job.id
    for share of job${lock === 'nowait' ? ' nowait' : ''}
  )`
