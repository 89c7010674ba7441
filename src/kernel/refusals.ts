import { defineFailures, FailureError } from './errors.ts'

/** What any domain may answer to a wish of a caller; the doors give each its status and exit code. */
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
    nextStep: 'Read it again, look at what changed, and send your change with the new ETag in If-Match.',
  },
})

/** A field of a request, and what is wrong with it in words for whoever wrote it. */
export interface RefusedField {
  readonly field: string
  readonly message: string
}

/** Refuses named fields, for checks that no schema of a request can express; `why` when there is a code that says more. */
export class RefusedFields extends FailureError {
  readonly fields: readonly RefusedField[]

  constructor(fields: readonly RefusedField[], why: FailureError = refuse.InvalidRequest('the request is not valid')) {
    super(why.failure, { cause: why.cause })
    this.fields = fields
  }
}
