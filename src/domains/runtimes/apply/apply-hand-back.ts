import { isConflict, type Client, type Draft, type KubeObject } from '../../../kube/index.ts'
import type { ManagedCaches } from '../watch/caches.ts'
import type { ClassRuntime, Dimension } from '../class-runtime.ts'
import { resourceOf } from '../watch/optional-kinds.ts'
import { handBackOf, letGoOf } from './hand-back.ts'
import { ENFORCER, MANAGER, type Action, type ManagedKind, type RenderedChild } from '../types.ts'

interface HandingBack {
  readonly client: Client
  readonly apis: Pick<ManagedCaches, 'cacheOf'>
  readonly signal: AbortSignal
}

/**
 * Sets enforced fields to the values of the spec before the controller applies the child. So a Deployment rolls out
 * once, no field falls back to a default, and request and limit always fit each other. Returns a function that ends the
 * hand-back; call it after the controller has applied the child. If the process stops in between, the mark stays and the
 * next run repeats it.
 *
 * Fields of other managers are not changed: the apply that follows reports the conflict.
 */
export async function beginHandBack(
  handing: HandingBack,
  runtime: ClassRuntime,
  child: RenderedChild,
  dimensions: readonly Dimension[],
): Promise<() => Promise<void>> {
  const live = await read(handing, runtime, child)
  if (live === undefined) return async () => {}
  const { during } = handBackOf(live, dimensions, child)
  await say(handing, child.kind, during).catch((error: unknown) => {
    if (!isConflict(error)) throw error
    const isOurs = error.conflicts.length > 0 && error.conflicts.every(({ manager }) => manager === MANAGER)
    return isOurs ? say(handing, child.kind, during, true) : undefined
  })
  // What the controller has handed over meanwhile is the enforcer's to say as well.
  return async () => {
    const applied = await read(handing, runtime, child)
    if (applied !== undefined) await say(handing, child.kind, handBackOf(applied, dimensions, child).after)
  }
}

/** One that is gone has nothing to give back. */
export async function handBack(
  handing: HandingBack,
  runtime: ClassRuntime,
  { child, dimensions }: Extract<Action, { readonly do: 'handBack' }>,
): Promise<void> {
  const live = await read(handing, runtime, child)
  if (live !== undefined) await say(handing, child.kind, letGoOf(live, child.kind, dimensions))
}

const read = (
  { client, signal }: HandingBack,
  { metadata: { namespace = '' } }: ClassRuntime,
  { kind, name }: Pick<RenderedChild, 'kind' | 'name'>,
): Promise<KubeObject | undefined> => client.get(resourceOf(kind), { namespace, name }, signal)

async function say(
  { client, apis, signal }: HandingBack,
  kind: ManagedKind,
  draft: Draft,
  force = false,
): Promise<void> {
  const applied = await client.apply(resourceOf(kind), draft, { fieldManager: ENFORCER, force, signal })
  apis.cacheOf(kind)?.wrote(applied)
}
