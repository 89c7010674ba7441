import { useSyncExternalStore } from 'react'

/** One timer for all ages on the screen; it runs only while something shows one. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Whole seconds, so that the snapshot stays equal between two ticks. */
const snapshot = (): number => Math.floor(Date.now() / 1_000) * 1_000

/** The present moment in milliseconds, changing once a second. */
export const useNow = (): number => useSyncExternalStore(subscribe, snapshot)
