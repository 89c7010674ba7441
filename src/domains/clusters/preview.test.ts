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

test('an order changes nothing that is there', () => {
  expect(previewOf(undefined, shoot())).toEqual({ action: 'create', fields: [], rolls: [], refusal: null })
})

test('nothing changes where nothing differs', () => {
  expect(previewOf(shoot(), shoot())).toMatchObject({ action: 'nothing', fields: [], rolls: [] })
})

test('a new name is a change, and replaces no nodes', () => {
  const called = (name: string): Shoot => ({
    ...shoot(),
    metadata: { ...shoot().metadata, annotations: { 'fundament.io/cluster-name': name, 'caelus.io/fence': name } },
  })
  expect(previewOf(called('old'), called('new'))).toMatchObject({
    action: 'change',
    fields: [{ path: 'metadata.annotations[fundament.io/cluster-name]', before: 'old', after: 'new' }],
    rolls: [],
  })
})

test('fields are named by pool, and growing replaces no nodes', () => {
  expect(previewOf(shoot(), shoot({}, [worker({ maximum: 5 })]))).toMatchObject({
    action: 'change',
    fields: [{ path: 'spec.provider.workers[name=default].maximum', before: 3, after: 5 }],
    rolls: [],
  })
})

test('pools that come and go are told, and replace no nodes of the others', () => {
  const { fields, rolls } = previewOf(shoot(), shoot({}, [worker({ name: 'new' })]))
  expect(fields.map(({ path }) => path).toSorted()).toEqual([
    'spec.provider.workers[name=default]',
    'spec.provider.workers[name=new]',
  ])
  expect(rolls).toEqual([])
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
