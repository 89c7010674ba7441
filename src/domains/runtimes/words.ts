import type { Action, Decision } from './types.ts'

/** What the controller decided, as a sentence: what it does now, or how the runtime is. */
export function decisionText({ actions, phase, status }: Pick<Decision, 'actions' | 'phase' | 'status'>): string {
  if (actions.length > 0) return actions.map(actionText).join(', ')
  return status.message === undefined ? phase : `${phase}: ${status.message}`
}

function actionText(action: Action): string {
  switch (action.do) {
    case 'addFinalizer':
      return 'it is claimed'
    case 'removeFinalizer':
      return 'nothing of it is left, and it is let go'
    case 'apply':
      return `${named(action.child)} is applied`
    case 'handBack':
      return `${action.dimensions.join(' and ')} of ${named(action.child)} is handed back`
    case 'delete':
      return `${named(action.child)} is deleted${action.because === 'orphan' ? ', which nothing asks for any more' : ''}`
    case 'enforce':
      return `${action.dimension} of ${action.functionKey} is set${action.from === undefined ? '' : ` from ${action.from}`} to ${action.to}`
    default:
      return action satisfies never
  }
}

const named = ({ kind, name }: { readonly kind: string; readonly name: string }): string => `${kind}/${name}`
