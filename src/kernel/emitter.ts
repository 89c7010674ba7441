import type { Failure } from './errors.ts'
import type { Key } from './key.ts'

/** Events of the kernel, for logs, metrics and tests. No behaviour depends on a listener. */
export interface KernelEvents {
  'reconcile:start': { readonly controller: string; readonly key: Key; readonly attempt: number }
  'reconcile:end': {
    readonly controller: string
    readonly key: Key
    readonly ms: number
    readonly outcome: 'settled' | 'checkAgain' | 'retry' | 'terminal' | 'lost' | 'handedBack'
    readonly because?: string
    readonly failure?: Failure
  }
  'queue:unreachable': {
    readonly controller: string
    readonly doing: 'claim' | 'renew' | 'finish'
    readonly error: unknown
  }
  /** The run continued for `ms` and ignored its abort signal. Its lease is no longer renewed. */
  'run:stuck': { readonly controller: string; readonly key: Key; readonly ms: number }
  'lease:lost': { readonly controller: string; readonly key: Key; readonly fence: number }
}

type EventMap = object

export interface Emitter<M extends EventMap> {
  emit<E extends keyof M>(event: E, what: M[E]): void
  /** Returns the way to stop listening. */
  on<E extends keyof M>(event: E, listener: (what: M[E]) => void): () => void
}

/** Calls listeners synchronously, in order. What one throws goes to `onListenerError`, not to the emitter's caller. */
export function createEmitter<M extends EventMap>(onListenerError: (error: unknown) => void = () => {}): Emitter<M> {
  const listeners = new Map<keyof M, Set<(what: never) => void>>()
  return {
    emit(event, what) {
      for (const listener of listeners.get(event) ?? []) {
        try {
          ;(listener as (what: unknown) => void)(what)
        } catch (error) {
          onListenerError(error)
        }
      }
    },
    on(event, listener) {
      const set = listeners.get(event) ?? new Set()
      listeners.set(event, set)
      set.add(listener)
      return () => void set.delete(listener)
    },
  }
}

/** The same emitter, typed with the events of one more part of the program. Their names begin with the name of the part. */
export const withEvents = <M extends EventMap>(emitter: Emitter<EventMap>): Emitter<M> => emitter as Emitter<M>
