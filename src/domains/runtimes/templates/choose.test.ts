import { describe, expect, test } from 'vitest'
import type { ClassRuntimeSpec } from '../class-runtime.ts'
import { MANAGED_KINDS, type ManagedKind } from '../types.ts'
import { chooseTemplate, TEMPLATES } from './index.ts'
import type { Profile } from './template.ts'

const PLAIN: readonly ManagedKind[] = ['Deployment', 'Service', 'HorizontalPodAutoscaler']

const chosen = (spec: ClassRuntimeSpec, profile: Profile = 'full', served: readonly ManagedKind[] = MANAGED_KINDS) => {
  const { template, problem } = chooseTemplate(spec, { profile, served })
  return template?.id ?? problem
}

describe('what is named', () => {
  test.each(TEMPLATES.flatMap(({ id, aliases }) => [id, ...aliases].map((name) => [name, id] as const)))(
    '%s is %s, in every profile',
    (name, id) => {
      for (const profile of ['dev', 'edge', 'full'] as const) {
        expect(chosen({ selected_template: name }, profile)).toBe(id)
      }
    },
  )

  test('a name that nobody has is a mistake', () => {
    expect(chosen({ selected_template: 'lambda' })).toEqual({
      field: 'spec.selected_template',
      message:
        'unknown template "lambda"; choose one of: k8s_deployment, deployment, k8s, knative, kn, knsvc, edge, dev, or leave it out to have one chosen',
    })
  })

  test('one that this cluster cannot have is a mistake, not silently another', () => {
    expect(chosen({ selected_template: 'kn' }, 'full', PLAIN)).toEqual({
      field: 'spec.selected_template',
      message:
        'template knative needs KnativeService, which this control plane does not serve; install it, or choose one of: k8s_deployment, edge, dev',
    })
  })
})

describe('what is not named is chosen', () => {
  test.each([
    ['dev', {}, MANAGED_KINDS, 'dev'],
    ['edge', {}, MANAGED_KINDS, 'edge'],
    ['full', {}, MANAGED_KINDS, 'knative'],
    ['full', {}, PLAIN, 'k8s_deployment'],
    ['full', { max_latency_ms: 50 }, MANAGED_KINDS, 'k8s_deployment'],
    ['full', { availability_pct: 99.95 }, MANAGED_KINDS, 'k8s_deployment'],
    ['full', { min_throughput_rps: 2000 }, MANAGED_KINDS, 'k8s_deployment'],
    ['full', { min_throughput_rps: 5, max_latency_ms: 2000, availability_pct: 99 }, MANAGED_KINDS, 'knative'],
    ['edge', { max_latency_ms: 50 }, MANAGED_KINDS, 'edge'],
  ] as const)('profile %s with %j', (profile, nfr_requirements, served, id) => {
    expect(chosen({ nfr_requirements }, profile, served)).toBe(id)
  })

  test('an empty name is none', () => {
    expect(chosen({ selected_template: '' }, 'dev')).toBe('dev')
  })
})
