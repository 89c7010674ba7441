import { writeHook } from '../../lib/api/use-write.ts'
import { TOPIC } from './paths.ts'

/** A change in this domain. */
export const useWrite = writeHook(TOPIC)
