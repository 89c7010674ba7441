import { expect, test } from 'vitest'
import type { CoreV1, Deployment } from '../../../kube/index.ts'
import type { Dimension, FunctionSpec } from '../class-runtime.ts'
import { ENFORCER, MANAGER, type Amount } from '../types.ts'
import { enforcementDraft } from './enforcement-draft.ts'

const MI = 2 ** 20

const ownedOf = (amounts: readonly Amount[]): object => {
  const both = Object.fromEntries(amounts.map((one) => [`f:${one}`, {}]))
  const resources = amounts.length === 0 ? {} : { 'f:resources': { 'f:requests': both, 'f:limits': both } }
  const containers = { 'k:{"name":"function"}': { '.': {}, 'f:name': {}, ...resources } }
  return { 'f:template': { 'f:spec': { 'f:containers': containers } } }
}

function liveOf(resources: CoreV1.ResourceRequirements, enforcers: readonly Amount[]): Deployment {
  const applied = (manager: string, spec: object) =>
    ({
      manager,
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': spec },
    }) as const
  const managedFields = [
    applied(MANAGER, ownedOf(['cpu', 'memory'])),
    ...(enforcers.length > 0 ? [applied(ENFORCER, { 'f:replicas': {}, ...ownedOf(enforcers) })] : []),
  ]
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'n', name: 'a', uid: 'u', managedFields },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: { containers: [{ name: 'function', image: 'a:1', resources }] },
      },
    },
  }
}

const BOTH = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } }

interface Case {
  readonly what: string
  readonly live?: CoreV1.ResourceRequirements
  readonly enforcers?: readonly Amount[]
  readonly to: readonly [Dimension, number]
  readonly provision?: FunctionSpec['provision_config']
  readonly resources: CoreV1.ResourceRequirements | undefined
}

test.each<Case>([
  {
    what: 'memory alone, with a limit that goes with it',
    to: ['memory', 256 * MI],
    resources: { requests: { memory: '256Mi' }, limits: { memory: '384Mi' } },
  },
  {
    what: 'cpu alone, with the limit of the spec',
    to: ['cpu', 150],
    provision: { cpu_limit: '2' },
    resources: { requests: { cpu: '150m' }, limits: { cpu: '2' } },
  },
  {
    what: 'cpu besides memory that is enforced already',
    enforcers: ['memory'],
    to: ['cpu', 400],
    resources: { requests: { cpu: '400m', memory: '64Mi' }, limits: { cpu: '600m', memory: '128Mi' } },
  },
  {
    what: 'memory anew, and not the cpu of the controller',
    enforcers: ['memory'],
    to: ['memory', 256 * MI],
    resources: { requests: { memory: '256Mi' }, limits: { memory: '384Mi' } },
  },
  {
    what: 'a limit that was a request’s own stays away from another',
    live: { requests: { memory: '64Mi' } },
    enforcers: ['memory'],
    to: ['cpu', 400],
    resources: { requests: { cpu: '400m', memory: '64Mi' }, limits: { cpu: '600m' } },
  },
  {
    what: 'replicas, and memory that is enforced already',
    enforcers: ['memory'],
    to: ['replicas', 5],
    resources: { requests: { memory: '64Mi' }, limits: { memory: '128Mi' } },
  },
  { what: 'replicas alone', to: ['replicas', 5], resources: undefined },
])('the enforcer sets $what', ({ live = BOTH, enforcers = [], to: [dimension, to], provision = {}, resources }) => {
  const fn = { function_key: 'f', provision_config: provision }
  const draft = enforcementDraft(liveOf(live, enforcers), { path: 'deployment', dimension, to }, fn)
  const replicas = dimension === 'replicas' ? to : enforcers.length > 0 ? 3 : undefined
  expect(draft).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'n', name: 'a', uid: 'u', annotations: { [`oaas.io/enforced-${dimension}`]: `${to}` } },
    spec: {
      ...(replicas !== undefined && { replicas }),
      ...(resources && { template: { spec: { containers: [{ name: 'function', resources }] } } }),
    },
  })
})
