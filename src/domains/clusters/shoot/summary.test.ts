import { expect, test } from 'vitest'
import type { Shoot } from '../gardener/shoot.ts'
import { summaryOf } from './summary.ts'

const shoot: Shoot = {
  apiVersion: 'core.gardener.cloud/v1beta1',
  kind: 'Shoot',
  metadata: { name: 'c1', namespace: 'garden-org', uid: 'u' },
  spec: { kubernetes: { version: '1.34.3' }, provider: { type: 'local' } },
}

test('a Shoot that nobody has touched yet', () => {
  expect(summaryOf(shoot)).toEqual({
    namespace: 'garden-org',
    name: 'c1',
    uid: 'u',
    kubernetesVersion: '1.34.3',
    isHibernated: false,
    operation: null,
    conditions: [],
    errors: [],
    rotation: {},
  })
})

test('a Shoot in the middle of its life', () => {
  const time = '2026-01-02T03:04:05Z'
  const status: Shoot['status'] = {
    hibernated: true,
    lastOperation: { type: 'Create', state: 'Error', progress: 40, description: 'no quota', lastUpdateTime: time },
    lastErrors: [{ description: 'no quota', codes: ['ERR_INFRA_QUOTA_EXCEEDED'] }, { description: 'more' }],
    conditions: [
      { type: 'APIServerAvailable', status: 'True', lastTransitionTime: 'yesterday' },
      { type: 'SystemComponentsHealthy', status: 'False', codes: ['ERR_PROBLEMATIC_WEBHOOK'] },
    ],
    credentials: { rotation: { kubeconfig: {}, certificateAuthorities: { phase: 'Prepared' } } },
  }
  expect(summaryOf({ ...shoot, status })).toMatchObject({
    isHibernated: true,
    operation: { state: 'Error', progress: 40, updatedAt: Date.parse(time) },
    errors: [
      { description: 'no quota', codes: ['ERR_INFRA_QUOTA_EXCEEDED'] },
      { description: 'more', codes: [] },
    ],
    conditions: [
      { type: 'APIServerAvailable', status: 'True', reason: '', message: '', since: null },
      { type: 'SystemComponentsHealthy', status: 'False', codes: ['ERR_PROBLEMATIC_WEBHOOK'] },
    ],
    rotation: { certificateAuthorities: 'Prepared' },
  })
})
