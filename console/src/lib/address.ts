import { useSearchParams } from 'wouter'

/** What the address says after its question mark, and the way to change one part of it; an empty value takes it out. */
export function useAddress(): readonly [
  params: URLSearchParams,
  set: (name: string, value: string, options?: { readonly replace: boolean }) => void,
] {
  const [params, setParams] = useSearchParams()
  return [
    params,
    (name, value, options = { replace: true }) =>
      setParams((before) => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      }, options),
  ]
}
