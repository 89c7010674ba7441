import { refusalsOf } from '../../../components/forms/refusals.ts'
import type { ClusterPreviewView } from '../../../lib/api/contract.ts'
import { problemOf } from '../../../lib/api/problem.ts'

export interface FieldProblem {
  readonly message: string
  /** The values that would be accepted, where they are known. */
  readonly supported: readonly string[]
}

/** By field: `node_pools/0/machine_type`. */
export type FieldProblems = ReadonlyMap<string, FieldProblem>

type PreviewProblem = ClusterPreviewView['problems'][number]

const placeOf = (field: string): string => [...refusalsOf({ errors: [{ field, message: '' }] }).plain.keys()][0] ?? ''

/** The problems of a preview that belong to a field of the form. */
export const fieldProblems = (problems: readonly PreviewProblem[]): FieldProblems =>
  new Map(
    problems.flatMap(({ field, message, supported }) =>
      field === null ? [] : [[placeOf(field), { message, supported: supported ?? [] }] as const],
    ),
  )

/** What the API refused before it asked Gardener. */
export const refusedFields = (error: unknown): FieldProblems =>
  new Map(
    error === null
      ? []
      : [...refusalsOf(problemOf(error)).plain].map(([field, message]) => [field, { message, supported: [] }] as const),
  )

/** Of one part of the form, such as `node_pools/0`. */
export const below = (problems: FieldProblems, place: string): FieldProblems =>
  new Map(
    [...problems].flatMap(([field, problem]) =>
      field.startsWith(`${place}/`) ? [[field.slice(place.length + 1), problem] as const] : [],
    ),
  )
