import { useSyncExternalStore } from 'react'

/** One timer for all ages on the screen; it runs only while something shows one. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
/** Kept, because a snapshot must not change while it is rendered. */
let now = Date.now()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const each of listeners) each()
    }, 1_000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const snapshot = (): number => now

/** The present moment in milliseconds, changing once a second. */
export const useNow = (): number => useSyncExternalStore(subscribe, snapshot)
