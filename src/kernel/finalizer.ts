/** The metadata fields that a finalizer depends on. */
export interface Finalizable {
  readonly deletionTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly resourceVersion?: string
}

/**
 * The next step for an object with our finalizer.
 *
 * - `add`: the finalizer is missing; store it before anything else, or a deletion could skip the clean-up.
 * - `work`: the finalizer is present and the object is not being deleted.
 * - `cleanUp`: the deletion waits for us; remove the finalizer only after the clean-up succeeded.
 * - `leave`: the object is being deleted without our finalizer.
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
 * JSON patches that change our finalizer only. Their `test` operations make the server refuse the patch if
 * the list has changed since it was read; then read it again.
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
