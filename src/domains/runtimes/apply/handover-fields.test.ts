import { expect, test } from 'vitest'
import type { CoreV1, Deployment, ManagedFields } from '../../../kube/index.ts'
import { handoverOf } from './handover-fields.ts'
import { ENFORCER, MANAGER, type HandedField } from '../types.ts'

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
  expect(handoverOf(deployment([enforced]), ['cpu'])).toEqual({
    ...where,
    spec: { template: { spec: { containers: [{ name: 'function', resources: { requests: { cpu: '1' } } }] } } },
  })
})

const BOTH = { requests: { cpu: '1', memory: '64Mi' }, limits: { memory: '128Mi' } }

test.for<
  [what: string, handed: readonly HandedField[], live: CoreV1.ResourceRequirements, over: CoreV1.ResourceRequirements]
>([
  ['a request with its limit', ['memory'], BOTH, { requests: { memory: '64Mi' }, limits: { memory: '128Mi' } }],
  ['a request that has none', ['cpu'], BOTH, { requests: { cpu: '1' } }],
  ['a limit without a request', ['cpu'], { limits: { cpu: '2' } }, { limits: { cpu: '2' } }],
  ['both', ['memory', 'cpu'], BOTH, BOTH],
])('of what a container asks for, %s is handed over and nothing else', ([, handed, resources, over]) => {
  const { spec, ...rest } = deployment([])
  const containers = [
    { ...container, resources },
    { name: 'sidecar', image: 'b:1', resources: BOTH },
  ]
  const live = { ...rest, spec: { ...spec, template: { ...spec.template, spec: { containers } } } }
  expect(handoverOf(live, handed)).toEqual({
    ...where,
    spec: { template: { spec: { containers: [{ name: 'function', resources: over }] } } },
  })
})

test('where nothing is asked for there is nothing to hand over', () => {
  expect(handoverOf(deployment([]), ['memory'])).toEqual({ ...where, spec: {} })
})
