import type { Env } from './read.ts'

/** The environment of the process. Nothing else reads it. */
export const environment: Env = process.env
