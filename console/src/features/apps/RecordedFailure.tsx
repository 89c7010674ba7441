import { ProblemView } from '../../components/feedback/ProblemView.tsx'
import type { FailureView } from '../../lib/api/contract.ts'
import { ProblemError } from '../../lib/api/problem.ts'

/** A failure that was recorded is shown like one that was just answered. */
export const RecordedFailure = ({ failure }: { readonly failure: FailureView }) => (
  <ProblemView
    error={
      new ProblemError({
        type: `urn:caelus:failure:${failure.code}`,
        title: failure.retryable ? 'The last try failed' : 'It cannot go on',
        status: 0,
        detail: failure.message,
        code: failure.code,
        whose_move: failure.whose_move,
        retryable: failure.retryable,
        next_step: failure.next_step,
        request_id: '',
      })
    }
  />
)
