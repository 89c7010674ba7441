import type { RuntimeView, StepView } from '../../lib/api/contract.ts'

/** How far a deletion is, told from what is left. Undefined: it is not being deleted. */
export function deletionSteps(
  { deleting_since: since, children }: Pick<RuntimeView, 'deleting_since' | 'children'>,
  blockers: readonly string[],
): readonly StepView[] | undefined {
  if (since === null) return undefined
  const left = children.filter(({ health }) => health !== 'missing').length
  const step = (name: string, title: string, state: StepView['state'], message: string | null = null): StepView => ({
    name,
    title,
    state,
    message,
    started_at: state === 'running' ? since : null,
    ended_at: null,
  })
  return [
    step(
      'children',
      'Delete what it is made of',
      left > 0 ? 'running' : 'done',
      left > 0 ? leftText(left, blockers) : null,
    ),
    step('release', 'Let the runtime go', left > 0 ? 'waiting' : 'running'),
  ]
}

const leftText = (left: number, blockers: readonly string[]): string =>
  [left === 1 ? '1 object is left' : `${left} objects are left`, ...blockers].join('; ')
