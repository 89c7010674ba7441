import { expect, it } from 'vitest'
import { explain } from './explain.ts'
import { applied, available, DEPLOYMENT, fn, on, pod, SPEC } from './fake/cart.ts'
import {
  deleted,
  edited,
  failure,
  later,
  looking,
  play,
  rewritten,
  rolledOut,
  SETTINGS,
  worldOf,
  withChild,
  type World,
} from './fake/world.ts'

const explained = ({ seen, now }: World) => explain(seen, SETTINGS, now)

it('says of what is as wanted that nothing happens and it is nobody’s move', () => {
  expect(explained(available)).toEqual({
    why: ['it is available since 2030-01-01T00:00:00Z: everything is ready'],
    next: 'nothing, until something changes',
    at: null,
    whoseMove: 'nobody',
    nextStep: null,
    blockers: [],
  })
})

it('says of what is new what will be made', () => {
  expect(explained(worldOf(SPEC))).toMatchObject({
    why: ['nobody has looked at it yet', 'Deployment/cart--checkout not found', 'Service/cart--checkout not found'],
    next: 'its finalizer is added, Deployment/cart--checkout is applied, Service/cart--checkout is applied',
    whoseMove: 'platform',
  })
})

it('leads from the phase to the child and to the container, and says when time is up', () => {
  const pods = [pod({ waiting: 'ImagePullBackOff', message: 'not found' })]
  const { world } = play(
    looking(
      rolledOut(applied, () => 0),
      { pods },
    ),
  )
  const cause = 'container function of pod cart--checkout-1 cannot start (ImagePullBackOff): not found'
  expect(explained(world)).toMatchObject({
    why: [
      `it is progressing since 2030-01-01T00:00:00Z: waiting for Deployment/cart--checkout: ${cause}`,
      `Deployment/cart--checkout: 0 of 1 replicas available; ${cause}`,
    ],
    next: 'it is looked at again: it must be ready by then',
    at: world.now + 601_000,
  })
})

it('gives a failure its code, whose move it is and the next step', () => {
  const pods = [pod({ waiting: 'CrashLoopBackOff', restarts: 3 })]
  const { world } = play(
    looking(
      rolledOut(applied, () => 0),
      { pods },
    ),
  )
  expect(explained(world)).toMatchObject({
    why: [
      expect.stringMatching(/^it is degraded since .*restarted 3 times \(RuntimeCrashLoop\)$/) as string,
      expect.any(String),
    ],
    at: world.now + 5_000,
    whoseMove: 'user',
    nextStep: expect.stringContaining('Read the log of the named container') as string,
  })
})

it('names the manager and the field of a conflict, and what differs', () => {
  const conflict = {
    ...failure('KubeFieldConflict', true),
    conflicts: [{ manager: 'kubectl', field: '.spec.replicas' }],
  }
  const changed = rewritten(available, { ...SPEC, functions: [fn('checkout', 'checkout:2')] })
  const { world } = play(changed, SETTINGS, on('apply Deployment/cart--checkout', conflict))
  expect(explained(world).why).toEqual([
    expect.stringContaining('kubectl owns .spec.replicas (RuntimeConflict)') as string,
    'Deployment/cart--checkout differs in spec.template.spec.containers[name=function].image',
  ])
})

it('says when the status is about an older spec', () => {
  const changed = rewritten(available, { ...SPEC, functions: [fn('checkout'), fn('pay')] })
  expect(explained(changed).why).toContain('that is about generation 1; by now it has 2')
})

it('names who is left to set a field, and what is not wanted any more', () => {
  const autoscalers = [{ name: 'theirs', target: DEPLOYMENT.name, minReplicas: 2, maxReplicas: 9, isOurs: false }]
  const { world } = play(looking(available, { autoscalers }))
  expect(explained(world).why).toContain(
    'replicas of Deployment/cart--checkout is left to an autoscaler or to the enforcer',
  )
  expect(explained(rewritten(available, { ...SPEC, functions: [] })).why).toContain(
    'Service/cart--checkout is not wanted any more',
  )
})

it('says what keeps a deletion from ending', () => {
  const held = withChild(deleted(available), DEPLOYMENT, (child) => ({
    ...edited({ metadata: { finalizers: ['example.com/keep'] } })(child),
    deleting: true,
  }))
  expect(explained(later(play(held).world, 60_000))).toMatchObject({
    next: 'its finalizer is removed when the last child is gone',
    blockers: ['Deployment/cart--checkout is being deleted and waits for example.com/keep'],
    whoseMove: 'platform',
  })
})
