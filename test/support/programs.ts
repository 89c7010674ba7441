import { join } from 'node:path'
import { inject } from 'vitest'

/**
 * A program as JavaScript: `caelus`, or a `*-process.ts` of the tests by its path in the checkout without the ending.
 * The global setup builds all of them once, because a start from the TypeScript sources costs a CPU second.
 */
export const builtProgram = (name: string): string => join(inject('release'), `${name}.mjs`)
