import type { UseMutationResult } from '@tanstack/react-query'
import { useTopicWrite } from '../../lib/api/use-write.ts'
import type { Send } from '../../lib/api/use-write.ts'
import { TOPIC } from './paths.ts'

/** A change of an organization. */
export const useWrite = <T, V = void>(
  send: Send<T, V>,
  onDone?: (result: T, input: V) => void,
): UseMutationResult<T, unknown, V> => useTopicWrite(TOPIC, send, onDone)
