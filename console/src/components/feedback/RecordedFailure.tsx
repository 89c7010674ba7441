import type { FailureView } from '../../lib/api/contract.ts'
import { ProblemError } from '../../lib/api/problem.ts'
import { ProblemView } from './ProblemView.tsx'

interface RecordedFailureProps {
  readonly failure: FailureView
  /** @default whether the last attempt failed, or nothing more is attempted */
  readonly title?: string
  readonly action?: { readonly label: string; readonly onClick: () => void; readonly isPending: boolean }
}

/** A failure that was recorded is shown like one that was just answered. */
export const RecordedFailure = ({ failure, title, action }: RecordedFailureProps) => (
  <ProblemView
    error={
      new ProblemError({
        type: `urn:caelus:failure:${failure.code}`,
        title: title ?? (failure.retryable ? 'The last try failed' : 'It cannot go on'),
        status: 0,
        detail: failure.message,
        code: failure.code,
        whose_move: failure.whose_move,
        retryable: failure.retryable,
        next_step: failure.next_step,
        request_id: '',
      })
    }
    {...(action && { onRetry: action.onClick, retrying: action.isPending, retryLabel: action.label })}
  />
)
