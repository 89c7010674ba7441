import { createContext, use, useSyncExternalStore } from 'react'
import type { Connection } from './connection.ts'
import type { Line } from './line.ts'

export const LineContext = createContext<Line | undefined>(undefined)

export function useLine(): Line {
  const line = use(LineContext)
  if (line === undefined) throw new Error('useLine needs a LineContext around it')
  return line
}

export function useConnection(): Connection {
  const line = useLine()
  return useSyncExternalStore(line.subscribe, line.state)
}
