import { useEffect } from 'react'
import { useAddress } from './address.ts'

const KEY = 'caelus-organization'
const PARAM = 'organization'

/**
 * The id of the organization whose objects the lists show; empty: all of them. The address decides, so that a list can be
 * shared; where it names none, the last choice in this browser holds and is written into the address.
 */
export function useOrganizationChoice(): readonly [id: string, choose: (id: string) => void] {
  const [params, set] = useAddress()
  const named = params.get(PARAM)
  const id = named ?? localStorage.getItem(KEY) ?? ''
  useEffect(() => {
    if (named === null && id !== '') set(PARAM, id)
  })
  return [
    id,
    (chosen) => {
      if (chosen === '') forgetOrganizationChoice()
      else localStorage.setItem(KEY, chosen)
      set(PARAM, chosen)
    },
  ]
}

export const forgetOrganizationChoice = (): void => localStorage.removeItem(KEY)
