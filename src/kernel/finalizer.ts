/** The parts of an object's metadata that a finalizer depends on. */
export interface Finalizable {
  readonly deletionTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly resourceVersion?: string
}

/**
 * What a finalizer asks for now.
 *
 * - `add`: not ours yet; add it and do nothing else before that is stored, or a deletion could slip past the clean-up.
 * - `work`: ours and alive.
 * - `cleanUp`: being deleted and waiting for us; remove the finalizer only after the clean-up succeeded.
 * - `leave`: being deleted and not, or no longer, waiting for us.
 */
export type FinalizerStep = 'add' | 'work' | 'cleanUp' | 'leave'

export function finalizerStep({ deletionTimestamp, finalizers = [] }: Finalizable, name: string): FinalizerStep {
  const ours = finalizers.includes(name)
  if (deletionTimestamp !== undefined) return ours ? 'cleanUp' : 'leave'
  return ours ? 'work' : 'add'
}

interface FinalizerPatch {
  readonly op: 'test' | 'add' | 'remove'
  readonly path: string
  readonly value?: unknown
}

/**
 * JSON patches that touch nothing but our finalizer. Their tests make the server refuse them when the list has changed since it was
 * read, which is the cue to read it again.
 */
export function addFinalizer({ finalizers, resourceVersion }: Finalizable, name: string): FinalizerPatch[] {
  const guard: FinalizerPatch = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion }
  return finalizers === undefined
    ? [guard, { op: 'add', path: '/metadata/finalizers', value: [name] }]
    : [guard, { op: 'add', path: '/metadata/finalizers/-', value: name }]
}

export function removeFinalizer({ finalizers = [] }: Finalizable, name: string): FinalizerPatch[] {
  const index = finalizers.indexOf(name)
  if (index < 0) return []
  const path = `/metadata/finalizers/${index}`
  return [
    { op: 'test', path, value: name },
    { op: 'remove', path },
  ]
}
