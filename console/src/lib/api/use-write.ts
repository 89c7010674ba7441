import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { UseMutationResult } from '@tanstack/react-query'
import { useRef } from 'react'
import { newIdempotencyKey } from './client.ts'
import type { ApiClient } from './client.ts'
import { useApi } from './context.tsx'

type Send<T, V> = (api: ApiClient, input: V, idempotencyKey: string) => Promise<T>

/**
 * A change through the API. Sending the same body again after a lost answer repeats the key, so that it has one effect;
 * afterwards everything of the topic is read again.
 */
export function useTopicWrite<T, V = void>(
  topic: string,
  send: Send<T, V>,
  onDone?: (result: T, input: V) => void,
): UseMutationResult<T, unknown, V> {
  const api = useApi()
  const queries = useQueryClient()
  const last = useRef({ body: '', key: '' })
  return useMutation<T, unknown, V>({
    mutationFn: (input) => {
      const body = JSON.stringify(input) ?? ''
      if (last.current.body !== body || last.current.key === '') last.current = { body, key: newIdempotencyKey() }
      return send(api, input, last.current.key)
    },
    onSuccess: async (result, input) => {
      last.current = { body: '', key: '' }
      await queries.invalidateQueries({ queryKey: [topic] })
      onDone?.(result, input)
    },
  })
}

/** The hook for changes of one topic. */
export const writeHook =
  (topic: string) =>
  <T, V = void>(send: Send<T, V>, onDone?: (result: T, input: V) => void): UseMutationResult<T, unknown, V> =>
    useTopicWrite(topic, send, onDone)
