import { expect, test } from 'vitest'
import { raise } from './failures.ts'
import type { Shoot, ShootSpec, ShootWorker } from './gardener/shoot.ts'
import { previewOf } from './preview.ts'

const worker = (over: Partial<ShootWorker> = {}): ShootWorker => ({
  name: 'default',
  machine: { type: 'small', image: { name: 'linux', version: '1.0' } },
  minimum: 1,
  maximum: 3,
  maxSurge: 1,
  ...over,
})

const shoot = (over: Partial<ShootSpec> = {}, workers: readonly ShootWorker[] = [worker()]): Shoot => ({
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { name: 'c1', namespace: 'garden-p1' },
  spec: { region: 'local', kubernetes: { version: '1.34.3' }, provider: { type: 'local', workers }, ...over },
})

test('an order says how many machines it takes', () => {
  expect(previewOf(undefined, shoot({}, [worker(), worker({ name: 'big', minimum: 2, maximum: 10 })]))).toMatchObject({
    action: 'create',
    fields: [],
    rolls: [],
    machines: { minimum: 3, maximum: 13, surge: 2 },
    refusal: null,
  })
})

test('nothing changes where nothing differs', () => {
  expect(previewOf(shoot(), shoot())).toMatchObject({ action: 'nothing', fields: [], rolls: [] })
})

test('fields are named by pool, and growing replaces no nodes', () => {
  expect(previewOf(shoot(), shoot({}, [worker({ maximum: 5 })]))).toMatchObject({
    action: 'change',
    fields: [{ path: 'spec.provider.workers[name=default].maximum', before: 3, after: 5 }],
    rolls: [],
    pools: [{ pool: 'default', maximum: 5, surge: 1, change: 'changed' }],
    machines: { minimum: 1, maximum: 5, surge: 1 },
  })
})

test('pools that come and go are told', () => {
  const { pools, fields } = previewOf(shoot(), shoot({}, [worker({ name: 'new', maxSurge: '25%', maximum: 6 })]))
  expect(pools.map(({ pool, change, surge }) => [pool, change, surge])).toEqual([
    ['new', 'added', 2],
    ['default', 'removed', 1],
  ])
  expect(fields.map(({ path }) => path).toSorted()).toEqual([
    'spec.provider.workers[name=default]',
    'spec.provider.workers[name=new]',
  ])
})

test.each<[string, Shoot, string | undefined]>([
  ['a patch of Kubernetes', shoot({ kubernetes: { version: '1.34.4' } }), undefined],
  ['a minor of Kubernetes', shoot({ kubernetes: { version: '1.35.1' } }), 'Kubernetes 1.34.3 → 1.35.1'],
  [
    'a machine type',
    shoot({}, [worker({ machine: { type: 'big' } })]),
    'machine type small → big, machine image linux 1.0 →',
  ],
  [
    'an image',
    shoot({}, [worker({ machine: { type: 'small', image: { name: 'linux', version: '1.1' } } })]),
    'machine image linux 1.0 → linux 1.1',
  ],
])('%s replaces nodes: %#', (_, after, because) => {
  const { rolls } = previewOf(shoot(), after)
  expect(rolls.map((roll) => roll.because.trim())).toEqual(because === undefined ? [] : [because])
})

test('a refusal says why', () => {
  const error = raise.ShootRefused('spec.region: unsupported')
  expect(previewOf(shoot(), { error })).toMatchObject({ action: 'refused', refusal: { code: 'ShootRefused' } })
})
