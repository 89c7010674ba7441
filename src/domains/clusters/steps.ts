import type { Failure } from '../../kernel/index.ts'

/** What a worker does next for one cluster. */
export type Step =
  | { readonly do: 'nothing' }
  /** Learns the namespace of the project, and has it made where it is missing. */
  | { readonly do: 'ensureNamespace' }
  /** Writes the Shoot. `fields`: what differs. */
  | { readonly do: 'apply'; readonly why: 'missing' | 'changed' | 'drift'; readonly fields: readonly string[] }
  | Operate
  | { readonly do: 'remove' }
  /** Nothing of a deleted cluster is left: the row says so once the server has confirmed it. */
  | { readonly do: 'forget' }
  | { readonly do: 'waitFor'; readonly ms: number; readonly because: string; readonly failure?: Failure }
  | { readonly do: 'refuse'; readonly failure: Failure }

/** Has Gardener do something once: asked by a person, or another try that Caelus asks for by itself. */
export interface Operate {
  readonly do: 'operate'
  /** As Gardener names it. */
  readonly operation: string
  readonly by: 'person' | 'caelus'
  /** Of the operation that a person asked for. */
  readonly id?: string
}

export type StepName = Step['do']

/** The steps that change Gardener. */
export type Effect = Exclude<Step, { do: 'nothing' | 'waitFor' | 'refuse' }>
