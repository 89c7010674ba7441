import { expect, test } from 'vitest'
import type { Deployment, ManagedFields } from '../../kube/index.ts'
import { handoverOf } from './handover-fields.ts'
import { ENFORCER, MANAGER } from './types.ts'

const applied = (manager: string, fieldsV1: ManagedFields['fieldsV1']): ManagedFields => ({
  manager,
  operation: 'Apply',
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
})

const container = { name: 'function', image: 'a:1', resources: { requests: { cpu: '1' } } }
const deployment = (managedFields: readonly ManagedFields[]): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'n', name: 'a', uid: 'u', annotations: { 'oaas.io/enforced-cpu': '1000' }, managedFields },
  spec: {
    replicas: 5,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } },
  },
})

const where = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'n', name: 'a', uid: 'u' } }

test('a field that is handed over keeps its value', () => {
  expect(handoverOf(deployment([applied(MANAGER, { 'f:spec': { 'f:replicas': {} } })]), ['replicas'])).toEqual({
    ...where,
    spec: { replicas: 5 },
  })
})

test('what the enforcer has said before is said again', () => {
  const resources = { 'f:containers': { 'k:{"name":"function"}': { '.': {}, 'f:name': {}, 'f:resources': {} } } }
  const enforced = applied(ENFORCER, {
    'f:metadata': { 'f:annotations': { 'f:oaas.io/enforced-cpu': {} } },
    'f:spec': { 'f:template': { 'f:spec': resources } },
  })
  expect(handoverOf(deployment([enforced]), ['replicas'])).toEqual({
    ...where,
    metadata: { ...where.metadata, annotations: { 'oaas.io/enforced-cpu': '1000' } },
    spec: {
      replicas: 5,
      template: { spec: { containers: [{ name: 'function', resources: { requests: { cpu: '1' } } }] } },
    },
  })
})

test('containers meet by their name', () => {
  const resources = {
    'f:containers': { 'k:{"name":"function"}': { 'f:resources': { 'f:requests': { 'f:cpu': {} } } } },
  }
  const enforced = applied(ENFORCER, { 'f:spec': { 'f:template': { 'f:spec': resources } } })
  expect(handoverOf(deployment([enforced]), ['resources'])).toEqual({
    ...where,
    spec: { template: { spec: { containers: [{ name: 'function', resources: { requests: { cpu: '1' } } }] } } },
  })
})
