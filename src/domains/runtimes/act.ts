import { addFinalizer, failureOf, removeFinalizer, Waiting, type Clock, type Emitter } from '../../kernel/index.ts'
import { at, KubeError, type Client } from '../../kube/index.ts'
import { applyChild } from './apply/apply.ts'
import { handBack } from './apply/apply-hand-back.ts'
import { ClassRuntime } from './class-runtime.ts'
import { resourceOf } from './watch/optional-kinds.ts'
import type { RuntimesEvents } from './events.ts'
import { raise } from './failures.ts'
import { hiding } from './masking.ts'
import { applyEnforcement } from './nfr/apply-enforcement.ts'
import type { ObserveDeps } from './observe.ts'
import type { Locking } from './target-locks.ts'
import { FINALIZER, type Action, type Done } from './types.ts'

export interface Acting extends ObserveDeps {
  readonly client: Client
  readonly clock: Clock
  /** Absent: nobody else works on the same targets. */
  readonly locking?: Locking
  readonly emitter: Emitter<RuntimesEvents>
}

/**
 * Does what was decided, and tells the caches what the server answered, so that the next look does not see what was before.
 *
 * - Nothing is made before the finalizer is stored, or a deletion could slip past the clean-up.
 * - One action that fails does not stop the others; only the end of the run does.
 * - What does not depend on each other is done at the same time; enforcements wait for what is applied.
 */
export async function act(
  acting: Acting,
  runtime: ClassRuntime,
  actions: readonly Action[],
  signal: AbortSignal,
): Promise<Done[]> {
  const attempt = (action: Action): Promise<Done[]> => attempted(acting, runtime, action, signal)
  const these = (...names: Action['do'][]): Action[] => actions.filter((action) => names.includes(action.do))
  const inOrder = async (some: readonly Action[]): Promise<Done[]> => {
    const done: Done[] = []
    for (const action of some) done.push(...(await attempt(action)))
    return done
  }

  const first = await inOrder(these('addFinalizer'))
  if (first.some(({ failure }) => failure !== undefined)) return first
  const made = (await Promise.all(these('apply', 'delete', 'handBack').map(attempt))).flat()
  // Two dimensions of one workload are two writes to the same object.
  const enforced = await inOrder(these('enforce'))
  return [...first, ...made, ...enforced, ...(await inOrder(these('removeFinalizer')))]
}

/** Empty: it turned out to be another action that is needed. */
async function attempted(acting: Acting, runtime: ClassRuntime, action: Action, signal: AbortSignal): Promise<Done[]> {
  const { clock } = acting
  const since = clock.now()
  let failure: Done['failure']
  try {
    if (!(await perform(acting, runtime, action, signal))) return []
  } catch (error) {
    if (signal.aborted) throw error
    failure = asFailure(error, runtime)
  }
  tell(acting, runtime, action, clock.now() - since, failure)
  return [{ action, ...(failure && { failure }) }]
}

async function perform(acting: Acting, runtime: ClassRuntime, action: Action, signal: AbortSignal): Promise<boolean> {
  const { client, caches, apis, memory, clock } = acting
  switch (action.do) {
    case 'addFinalizer': {
      const json = addFinalizer(runtime.metadata, FINALIZER)
      caches.runtimes.wrote(await client.patch(ClassRuntime, at(runtime), { json }, { signal }))
      return true
    }
    case 'removeFinalizer': {
      const json = removeFinalizer(runtime.metadata, FINALIZER)
      if (json.length === 0) return true
      const left = await client.patch(ClassRuntime, at(runtime), { json }, { signal })
      if ((left.metadata.finalizers ?? []).length > 0) caches.runtimes.wrote(left)
      else caches.runtimes.deleted(at(runtime), runtime.metadata.uid ?? '')
      return true
    }
    case 'apply':
      return applyChild({ ...acting, signal }, runtime, action)
    case 'delete': {
      const { kind, uid, object } = action.child
      const { remaining } = await client.delete(resourceOf(kind), at(object), { uid, signal })
      apis.cacheOf(kind)?.deleted(at(object), uid, remaining)
      if (action.because === 'orphan') memory.deletedOrphan(clock.now())
      return true
    }
    case 'handBack':
      await handBack({ ...acting, signal }, runtime, action)
      return true
    case 'enforce':
      await applyEnforcement({ ...acting, signal }, runtime, action)
      return true
    default:
      return action satisfies never
  }
}

/**
 * The API server quotes the values it refuses, so the message is masked. An action that waits for a lock is recorded as well:
 * the status names the holder, and the run ends as waiting.
 */
function asFailure(error: unknown, runtime: ClassRuntime): NonNullable<Done['failure']> {
  const plain = failureOf(error instanceof Waiting ? raise.RuntimeTargetLocked(error.message) : error)
  const failure = { ...plain, message: hiding(runtime).text.excerpt(plain.message) }
  if (!(error instanceof KubeError) || error.conflicts.length === 0) return failure
  return { ...failure, conflicts: error.conflicts.map(({ manager, field }) => ({ manager, field })) }
}

function tell(
  { emitter }: Acting,
  { metadata }: ClassRuntime,
  action: Action,
  ms: number,
  failure: Done['failure'],
): void {
  const runtime = `${metadata.namespace}/${metadata.name}`
  const how = { runtime, ms, ...(failure && { failure }) }
  if (action.do === 'enforce') {
    const { functionKey, dimension, from, to } = action
    return emitter.emit('runtimes:enforced', { ...how, functionKey, dimension, from, to })
  }
  const child = 'child' in action ? { child: { kind: action.child.kind, name: action.child.name } } : {}
  emitter.emit('runtimes:acted', { ...how, action: action.do, ...child })
}
