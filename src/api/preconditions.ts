import type { FastifyRequest } from 'fastify'
import { raise } from './failures.ts'

/** The version of an object, as it travels. Strong: equal tags mean equal bytes of everything a user can change. */
export const etagOf = (generation: number): string => `"${generation}"`

/**
 * Refuses a change that was made on an older version than the present one.
 *
 * `required`: a change without If-Match is refused too, for objects that several people edit.
 */
export function checkIfMatch(
  request: Pick<FastifyRequest, 'headers'>,
  generation: number,
  { required = false } = {},
): void {
  const given = request.headers['if-match']
  if (given === undefined) {
    if (required) throw raise.PreconditionRequired('this change needs If-Match')
    return
  }
  if (given.trim() === '*') return
  const tags = given.split(',').map((one) => one.trim())
  if (!tags.includes(etagOf(generation))) {
    throw raise.ChangedMeanwhile(
      `the change was made on version ${given}, but the present one is ${etagOf(generation)}`,
    )
  }
}
