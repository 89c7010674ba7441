import type { Failure } from '../../kernel/index.ts'
import type { Decision } from './decide.ts'

/*
 * What happened to a cluster, as a sentence each. Written as failures are: lower case and without a stop.
 */

/** Of the audit rows of kubeconfigs that Caelus itself asks for; people's own are `kubeconfig`. */
export const ACCESS_ACTION = 'kubeconfig for apps'

type Detail = Readonly<Record<string, unknown>>

/** A deed of a person, whose name stands beside it. */
export function auditText(action: string, detail: Detail = {}): string {
  switch (action) {
    case 'created':
      return 'it was ordered'
    case 'changed': {
      const changed = textOf(detail['changed'])
      return changed === '' ? 'it was changed' : `it was changed: ${changed}`
    }
    case 'deleted':
      return 'its deletion was asked for'
    case 'operation':
      return `Gardener is to ${operationText(textOf(detail['kind']))}`
    case 'kubeconfig':
      return 'a kubeconfig was given out'
    case ACCESS_ACTION:
      return 'Caelus asked for a kubeconfig, for the apps in it'
    case 'enqueued':
      return 'a look at it was asked for'
    default:
      return `it was ${action}`
  }
}

/** What Gardener is asked to do: `Gardener is to …`. */
export function operationText(kind: string): string {
  switch (kind) {
    case 'reconcile':
      return 'reconcile it'
    case 'retry':
      return 'try again'
    case 'rotate-credentials-start':
      return 'begin to rotate its credentials'
    case 'rotate-credentials-complete':
      return 'complete the rotation of its credentials'
    default:
      return kind
  }
}

/** What the worker decided to do next. */
export function decisionText({ step, truth }: Decision): string {
  switch (step.do) {
    case 'ensureNamespace':
      return 'its project is being looked for'
    case 'apply':
      if (step.why === 'missing') return 'its Shoot is being created'
      return step.why === 'changed'
        ? 'the change is being written to its Shoot'
        : `a change by hand is being undone: ${step.fields.join(', ')}`
    case 'operate':
      return step.by === 'person'
        ? `Gardener is asked to ${operationText(step.operation)}`
        : 'Gardener gave up, and is asked to try again'
    case 'remove':
      return 'its Shoot is being deleted'
    case 'forget':
      return 'its Shoot seems to be gone, and Gardener is asked whether it is'
    case 'waitFor':
      return `it waits: ${step.failure === undefined ? step.because : failureText(step.failure)}`
    case 'refuse':
      return `it cannot go on: ${failureText(step.failure)}`
    case 'nothing':
      return truth.failure === null ? `its status is ${truth.status}: ${truth.message}` : failureText(truth.failure)
    default:
      return step satisfies never
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))
const failureText = ({ code, message }: Failure): string => `${message} (${code})`
