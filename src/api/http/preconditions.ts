import type { FastifyRequest } from 'fastify'
import { raise } from '../failures.ts'

/** The version of an object, as it travels. Strong: equal tags mean equal bytes of everything a user can change. */
export const etagOf = (generation: number): string => `"${generation}"`

/**
 * The generation in If-Match. The use case refuses the change if it is not the present one. Undefined: the change applies
 * to any generation.
 */
export function generationIn({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const given = headers['if-match']?.trim()
  if (given === undefined || given === '*') return undefined
  const [, generation] = /^"(\d{1,15})"$/.exec(given) ?? []
  if (generation === undefined) throw raise.ChangedMeanwhile(`If-Match ${given} is no version of this object`)
  return Number(generation)
}
