import { writeHook } from '../../lib/api/use-write.ts'
import { TOPIC } from './paths.ts'

/** A change of an organization. */
export const useWrite = writeHook(TOPIC)
