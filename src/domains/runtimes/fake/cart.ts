import type { ClassRuntimeSpec } from '../class-runtime.ts'
import type { Action, ChildRef, Done, ObservedPod } from '../types.ts'
import { play, rolledOut, worldOf, type Fate, type World } from './world.ts'

/*
 * The runtime that the tests are about: a class `cart` with one function, its Deployment and its Service.
 */

export const fn = (key: string, image = 'checkout:1') => ({
  function_key: key,
  provision_config: { container_image: image },
})
export const SPEC: ClassRuntimeSpec = { selected_template: 'k8s_deployment', addons: [], functions: [fn('checkout')] }
export const DEPLOYMENT: ChildRef = { kind: 'Deployment', name: 'cart--checkout' }
export const SERVICE: ChildRef = { kind: 'Service', name: 'cart--checkout' }

export const text = (action: Action): string =>
  'child' in action ? `${action.do} ${action.child.kind}/${action.child.name}` : action.do
export const tried = ({ done }: { readonly done: ReadonlyArray<{ readonly action: Action }> }) =>
  done.map(({ action }) => text(action))
export const statusOf = ({ seen }: World) => seen.runtime.status ?? {}
export const trueConditions = (world: World) =>
  (statusOf(world).conditions ?? [])
    .filter(({ status }) => status === 'True')
    .map(({ type, reason }) => `${type}/${reason}`)
/** This one action fails, all others succeed. */
export const on =
  (what: string, said: NonNullable<Done['failure']>): Fate =>
  (action) =>
    text(action) === what ? said : undefined

export const applied = play(worldOf(SPEC)).world
export const available = play(rolledOut(applied)).world

export const pod = (
  container: Partial<ObservedPod['containers'][number]>,
  over: Partial<ObservedPod> = {},
): ObservedPod => ({
  name: 'cart--checkout-1',
  uid: 'p',
  deleting: false,
  component: 'function',
  functionKey: 'checkout',
  containers: [{ name: 'function', ready: false, restarts: 0, ...container }],
  ...over,
})
