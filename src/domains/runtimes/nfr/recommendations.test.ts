import { expect, test } from 'vitest'
import { timestamp } from '../../../kernel/index.ts'
import type { KubeObject } from '../../../kube/index.ts'
import type { ClassRuntime, ClassRuntimeStatus } from '../class-runtime.ts'
import { functionLabel, ownerLabel } from '../names.ts'
import { FUNCTION_LABEL, OWNER_LABEL } from '../types.ts'
import type { PodLoad } from './measure.ts'
import { loadsOf, recommendationsFor, updateOf, worthWriting } from './recommendations.ts'

const NOW = Date.UTC(2026, 0, 1)
const MI = 2 ** 20
const MAX_AGE_MS = 600_000
const LONG = 'a function/with a key that no label could hold, because it is longer than sixty-three characters'

const runtime = (status: ClassRuntimeStatus = {}): ClassRuntime => ({
  apiVersion: 'oaas.io/v1alpha1',
  kind: 'ClassRuntime',
  metadata: { name: 'shop', namespace: 'tenant', generation: 3 },
  spec: { functions: [{ function_key: 'cart' }, { function_key: LONG }] },
  status,
})

const podOf = (name: string, fn: string, metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'tenant',
    labels: { [OWNER_LABEL]: ownerLabel('shop'), [FUNCTION_LABEL]: functionLabel(fn) },
    ...metadata,
  },
})

const BUSY: PodLoad = { rps: 10, cpuMillicores: 700, memoryBytes: 200 * MI }
const measured = (pods: Readonly<Record<string, PodLoad>>) => ({ pods: new Map(Object.entries(pods)), failures: [] })
const found = (at = NOW) =>
  recommendationsFor(runtime(), loadsOf([podOf('one', 'cart')], measured({ 'tenant/one': BUSY })), at)

test('measurements of pods become recommendations for functions, joined by labels', () => {
  const pods = [podOf('one', 'cart'), podOf('two', LONG), podOf('three', 'cart', { namespace: 'other' })]
  const loads = loadsOf(pods, measured({ 'tenant/two': BUSY, 'other/three': BUSY, 'tenant/stranger': BUSY }))
  expect(Object.keys(recommendationsFor(runtime(), loads, NOW))).toEqual([
    `replicas/${LONG}`,
    `memory/${LONG}`,
    `cpu/${LONG}`,
  ])
})

test('a pod that is leaving does not count', () => {
  const pods = [podOf('one', 'cart'), podOf('two', 'cart', { deletionTimestamp: timestamp(NOW) })]
  const loads = loadsOf(pods, measured({ 'tenant/one': BUSY, 'tenant/two': BUSY }))
  expect(recommendationsFor(runtime(), loads, NOW)['replicas/cart']?.value).toBe(2)
})

test.for<[why: string, change: (status: Record<string, { value: number }>) => void, ageMs: number, isWritten: boolean]>(
  [
    ['the same values are not written again', () => {}, 60_000, false],
    ['the same values are written when they get old', () => {}, MAX_AGE_MS / 3, true],
    ['another number of replicas is written', (all) => (all['replicas/cart']!.value = 3), 60_000, true],
    ['a little more memory is not', (all) => (all['memory/cart']!.value += 16 * MI), 60_000, false],
    ['much more memory is', (all) => (all['memory/cart']!.value += 80 * MI), 60_000, true],
    ['what is new is written', (all) => delete all['cpu/cart'], 60_000, true],
  ],
)('%s', ([, change, ageMs, isWritten]) => {
  const { nfr_recommendations } = structuredClone(updateOf(runtime(), found(NOW - ageMs)))
  change(nfr_recommendations)
  const written = worthWriting(runtime({ nfr_recommendations }), found(), MAX_AGE_MS, NOW)
  expect(Object.keys(written)).toHaveLength(isWritten ? 3 : 0)
})

test('the status gets the recommendation and nothing besides', () => {
  const { nfr_recommendations } = updateOf(runtime(), found())
  expect(Object.keys(nfr_recommendations['replicas/cart'] ?? {})).toEqual(['value', 'at', 'confidence', 'basis'])
})
