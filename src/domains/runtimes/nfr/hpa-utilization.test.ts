import { expect, test } from 'vitest'
import type { HorizontalPodAutoscaler } from '../../../kube/index.ts'
import { utilizationOf } from './hpa-utilization.ts'

type Metrics = NonNullable<HorizontalPodAutoscaler['spec']['metrics']>

const share = { type: 'Utilization', averageUtilization: 80 }
const amount = { type: 'AverageValue', averageValue: '500m' }
const resource = (name: string, target: typeof share | typeof amount): Metrics[number] => ({
  type: 'Resource',
  resource: { name, target },
})

test.for<[what: string, metrics: Metrics | undefined, measured: readonly string[]]>([
  ['a share of the cpu', [resource('cpu', share)], ['cpu']],
  ['a share of the memory', [resource('memory', share)], ['memory']],
  ['both', [resource('cpu', share), resource('memory', share)], ['memory', 'cpu']],
  ['an amount of cpu', [resource('cpu', amount)], []],
  ['an amount of cpu and a share of the memory', [resource('cpu', amount), resource('memory', share)], ['memory']],
  [
    'a share of one container',
    [{ type: 'ContainerResource', containerResource: { container: 'function', name: 'cpu', target: share } }],
    ['cpu'],
  ],
  ['requests', [{ type: 'Pods', pods: { metric: { name: 'rps' }, target: amount } }], []],
  ['nothing, which is 80 % of the cpu', undefined, ['cpu']],
  ['an empty list, which is the same', [], ['cpu']],
])('an autoscaler by %s', ([, metrics, measured]) => {
  expect(utilizationOf(metrics === undefined ? {} : { metrics })).toEqual(measured)
})
