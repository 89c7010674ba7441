import { describe, expect, test } from 'vitest'
import type { ClassRuntimeSpec, FunctionSpec } from '../class-runtime.ts'
import { analyze } from './analyze.ts'
import type { PodLoad } from './measure.ts'

const NOW = Date.UTC(2026, 0, 1)
const MI = 2 ** 20
const pod = (more: PodLoad = {}): PodLoad => ({
  rps: 50,
  p99Ms: 100,
  cpuMillicores: 250,
  memoryBytes: 100 * MI,
  ...more,
})
const said = (pods: readonly PodLoad[], spec: ClassRuntimeSpec = {}, fn: Partial<FunctionSpec> = {}) =>
  analyze(spec, { function_key: 'hello', ...fn }, { pods }, NOW)

describe('replicas', () => {
  test.for<[why: string, pods: readonly PodLoad[], spec: ClassRuntimeSpec, fn: Partial<FunctionSpec>, value: number]>([
    ['for the load that is there', [pod(), pod()], {}, {}, 1],
    ['rounded up', [pod({ cpuMillicores: 501 })], {}, {}, 2],
    ['for twice the throughput', [pod(), pod()], { nfr_requirements: { min_throughput_rps: 200 } }, {}, 2],
    [
      'what one function needs wins',
      [pod()],
      { nfr_requirements: { min_throughput_rps: 50 } },
      { qos_requirement: { throughput: 500 } },
      5,
    ],
    [
      'more than wanted is served too',
      [pod({ rps: 500, cpuMillicores: 2000 })],
      { nfr_requirements: { min_throughput_rps: 5 } },
      {},
      4,
    ],
    ['by what a pod requests', [pod()], {}, { provision_config: { cpu_request: '100m' } }, 3],
    ['one more when slow', [pod({ p99Ms: 251 })], {}, {}, 2],
    ['as slow as it may be', [pod({ p99Ms: 300 })], { nfr_requirements: { max_latency_ms: 300 } }, {}, 1],
    ['none fewer while slow', [1, 2, 3, 4].map(() => pod({ cpuMillicores: 10, p99Ms: 900 })), {}, {}, 4],
    ['pods without traffic do not slow it down', [pod(), pod({ rps: 0, p99Ms: 5_000 })], {}, {}, 1],
    ['without knowing how slow it is', [{ rps: 1, cpuMillicores: 10 }], {}, {}, 1],
  ])('%s', ([, pods, spec, fn, value]) => {
    expect(said(pods, spec, fn).replicas?.value).toBe(value)
  })

  test('are concluded in words', () => {
    const spec = { nfr_requirements: { min_throughput_rps: 200 } }
    expect(said([pod(), pod({ p99Ms: 500 })], spec).replicas).toEqual({
      value: 3,
      at: '2026-01-01T00:00:00Z',
      confidence: 0.5,
      basis: '100 rps of 200 wanted, 500m cpu at 500m per pod, p99 300 ms above 250 ms',
    })
  })

  test('are trusted as far as pods were measured', () => {
    expect(said([pod(), {}]).replicas?.confidence).toBe(0.5)
  })

  test.for<[why: string, pods: readonly PodLoad[], spec: ClassRuntimeSpec]>([
    ['there is no pod', [], {}],
    ['nobody calls', [pod({ rps: 0 })], {}],
    ['hardly anybody calls', [pod({ rps: 0.9 })], { nfr_requirements: { min_throughput_rps: 100 } }],
    ['calls are not counted', [{ cpuMillicores: 100 }], {}],
    ['cpu is not measured', [{ rps: 100 }], {}],
  ])('nothing is said when %s', ([, pods, spec]) => {
    expect(said(pods, spec).replicas).toBeUndefined()
  })
})

describe('requests', () => {
  test.for<[why: string, bytes: readonly number[], value: number]>([
    ['a fifth more than the average, on a grid of 16Mi', [100 * MI, 200 * MI], 192 * MI],
    ['never below 64Mi', [MI], 64 * MI],
  ])('memory: %s', ([, bytes, value]) => {
    expect(said(bytes.map((memoryBytes) => pod({ memoryBytes }))).memory?.value).toBe(value)
  })

  test('cpu: a fifth more than the average, never below 50m', () => {
    expect(said([pod({ cpuMillicores: 101 }), pod({ cpuMillicores: 301 })]).cpu?.value).toBe(250)
    expect(said([pod({ cpuMillicores: 1 })]).cpu?.value).toBe(50)
  })

  test('pods that differ much are trusted less', () => {
    expect(said([pod({ memoryBytes: 100 * MI }), pod({ memoryBytes: 1000 * MI })]).memory).toMatchObject({
      confidence: 0.67,
      basis: '550Mi on average, 1000Mi at most, in 2 of 2 pods',
    })
  })

  test('an idle function tells little about memory and nothing about cpu', () => {
    const idle = said([pod({ rps: 0 })])
    expect(idle.memory?.confidence).toBe(0.4)
    expect(idle.cpu).toBeUndefined()
  })
})
