import { createContext, use } from 'react'
import type { ApiClient } from './client.ts'

export const ApiContext = createContext<ApiClient | undefined>(undefined)

export function useApi(): ApiClient {
  const api = use(ApiContext)
  if (api === undefined) throw new Error('useApi needs an ApiContext around it')
  return api
}
