import { sameValue } from './decisions.ts'

/** Which fields of a status each writer may write. A field has one owner. */
export type Owners<S> = Readonly<Record<string, readonly (keyof S & string)[]>>

/**
 * Makes the merge function of a status with several writers.
 *
 * A writer that returns another's field does not compile. Fields are replaced whole; one set to `undefined` is removed.
 * A patch that says what the status already says returns the very same object: there is nothing to write.
 */
export function statusMerge<S extends object>() {
  return <const O extends Owners<S>>(owners: O) => {
    const claimed = new Map<string, string>()
    for (const [writer, fields] of Object.entries(owners)) {
      for (const field of fields) {
        const other = claimed.get(field)
        if (other !== undefined) throw new Error(`status field ${field} is owned by both ${other} and ${writer}`)
        claimed.set(field, writer)
      }
    }
    return <W extends keyof O & string>(status: S, writer: W, patch: Patch<S, O[W][number]>): S => {
      const changes = Object.entries(patch).filter(([field, value]) => !sameValue(status[field as keyof S], value))
      if (changes.length === 0) return status
      for (const [field] of changes) {
        if (claimed.get(field) !== writer) throw new Error(`status field ${field} is not owned by ${writer}`)
      }
      return Object.fromEntries(
        Object.entries({ ...status, ...Object.fromEntries(changes) }).filter(([, value]) => value !== undefined),
      ) as S
    }
  }
}

type Patch<S, F extends keyof S> = { readonly [K in F]?: S[K] | undefined }
