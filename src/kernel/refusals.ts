import { defineFailures, FailureError } from './errors.ts'

/** Refusals shared by all domains. The API maps each to a status, the CLI to an exit code. */
export const refuse = defineFailures({
  InvalidRequest: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Correct the fields listed in errors and send it again.',
  },
  NotAllowed: { whoseMove: 'user', retryable: false, nextStep: 'Ask an admin to do it, or to give you the role.' },
  NotFound: { whoseMove: 'user', retryable: false, nextStep: 'Check the path and the id; it may have been deleted.' },
  ChangedMeanwhile: {
    whoseMove: 'user',
    retryable: false,
    nextStep: 'Read it again, compare, and send your change with the new ETag in If-Match.',
  },
})

/** A field of a request and what is wrong with it, in words for the author of the request. */
export interface RefusedField {
  readonly field: string
  readonly message: string
}

/**
 * Refuses named fields, for checks beyond the request's schema. `why` replaces the code if a more specific
 * one exists.
 */
export class RefusedFields extends FailureError {
  readonly fields: readonly RefusedField[]

  constructor(fields: readonly RefusedField[], why: FailureError = refuse.InvalidRequest('the request is not valid')) {
    super(why.failure, { cause: why.cause })
    this.fields = fields
  }
}
