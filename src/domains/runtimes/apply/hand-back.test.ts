import { expect, test } from 'vitest'
import type { KubeObject } from '../../../kube/index.ts'
import type { Dimension } from '../class-runtime.ts'
import { handBackOf, letGoOf } from './hand-back.ts'
import { ENFORCER, type HandedField, type ManagedKind } from '../types.ts'

const MIN_SCALE = 'autoscaling.knative.dev/minScale'
const MARKS = ['replicas', 'memory', 'cpu'].map((dimension) => `oaas.io/enforced-${dimension}`)

const owned = (names: object): object =>
  Object.fromEntries(
    Object.entries(names).map(([name, below]) => [
      name.startsWith('k:') ? name : `f:${name}`,
      below === true ? {} : owned(below as object),
    ]),
  )

interface Enforced {
  readonly spec: object
  readonly marks: readonly string[]
  readonly fields: object
}

const liveOf = ({ spec, marks, fields }: Enforced): KubeObject & { readonly spec: object } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    namespace: 'n',
    name: 'a',
    uid: 'u',
    annotations: Object.fromEntries([...marks, 'theirs'].map((name) => [name, '5'])),
    managedFields: [
      {
        manager: ENFORCER,
        operation: 'Apply',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: owned({
          ...(marks.length > 0 && {
            metadata: { annotations: Object.fromEntries(marks.map((name) => [name, true])) },
          }),
          spec: fields,
        }) as Record<string, unknown>,
      },
    ],
  },
  spec,
})

const inContainers = (resources: object | undefined) => ({
  template: { spec: { containers: [{ name: 'function', ...(resources && { resources }) }] } },
})
const OWN_CONTAINERS = { template: { spec: { containers: { 'k:{"name":"function"}': { resources: true } } } } }
const scaled = (value: string) => ({ template: { metadata: { annotations: { [MIN_SCALE]: value } } } })

const SCALED: Enforced = { spec: { replicas: 5 }, marks: [MARKS[0] ?? ''], fields: { replicas: true } }
const SIZES = { requests: { cpu: '200m', memory: '64Mi' }, limits: { cpu: '300m', memory: '128Mi' } }
const SIZED: Enforced = {
  spec: inContainers(SIZES),
  marks: MARKS.slice(1),
  fields: OWN_CONTAINERS,
}

interface Case {
  readonly what: string
  readonly kind?: ManagedKind
  readonly enforced: Enforced
  readonly back: readonly Dimension[]
  /** What the controller renders. */
  readonly rendered: object
  readonly handed?: readonly HandedField[]
  readonly during: object | undefined
  readonly after: object | undefined
  readonly marksAfter?: readonly string[]
}

test.each<Case>([
  {
    what: 'replicas are set to what the spec says, and then let go',
    enforced: SCALED,
    back: ['replicas'],
    rendered: { replicas: 2 },
    during: { replicas: 2 },
    after: undefined,
  },
  {
    what: 'replicas that are an autoscaler’s by now keep their value and their owner',
    enforced: SCALED,
    back: ['replicas'],
    rendered: {},
    handed: ['replicas'],
    during: { replicas: 5 },
    after: { replicas: 5 },
  },
  {
    what: 'the least number of an autoscaler goes back',
    kind: 'HorizontalPodAutoscaler',
    enforced: { spec: { minReplicas: 5 }, marks: SCALED.marks, fields: { minReplicas: true } },
    back: ['replicas'],
    rendered: { minReplicas: 1 },
    during: { minReplicas: 1 },
    after: undefined,
  },
  {
    what: 'the annotation that Knative reads goes back',
    kind: 'KnativeService',
    enforced: {
      spec: scaled('5'),
      marks: SCALED.marks,
      fields: { template: { metadata: { annotations: { [MIN_SCALE]: true } } } },
    },
    back: ['replicas'],
    rendered: scaled('0'),
    during: scaled('0'),
    after: undefined,
  },
  {
    what: 'requests and limits go back together, and what the spec does not say goes',
    enforced: SIZED,
    back: ['memory', 'cpu'],
    rendered: inContainers({ requests: { cpu: '500m' } }),
    during: inContainers({ requests: { cpu: '500m' } }),
    after: undefined,
  },
  {
    what: 'a spec without requests leaves none behind',
    enforced: SIZED,
    back: ['memory', 'cpu'],
    rendered: inContainers(undefined),
    during: undefined,
    after: undefined,
  },
  {
    what: 'one of two requests goes back, while the other one stays enforced',
    enforced: SIZED,
    back: ['cpu'],
    rendered: inContainers({ requests: { cpu: '500m' } }),
    handed: ['memory'],
    during: inContainers({ requests: { cpu: '500m', memory: '64Mi' }, limits: { memory: '128Mi' } }),
    after: inContainers({ requests: { memory: '64Mi' }, limits: { memory: '128Mi' } }),
    marksAfter: ['oaas.io/enforced-memory'],
  },
  {
    what: 'what went along with an enforced request goes back without ever having borne a mark',
    enforced: { ...SIZED, marks: MARKS.slice(1, 2) },
    back: ['cpu'],
    rendered: inContainers({ requests: { cpu: '500m' } }),
    handed: ['memory'],
    during: inContainers({ requests: { cpu: '500m', memory: '64Mi' }, limits: { memory: '128Mi' } }),
    after: inContainers({ requests: { memory: '64Mi' }, limits: { memory: '128Mi' } }),
    marksAfter: ['oaas.io/enforced-memory'],
  },
  {
    what: 'of containers that are one value nothing is said',
    kind: 'KnativeService',
    enforced: {
      spec: { template: { ...scaled('5').template, ...inContainers(SIZES).template } },
      marks: SCALED.marks,
      fields: { template: { metadata: { annotations: { [MIN_SCALE]: true } } } },
    },
    back: ['cpu'],
    rendered: inContainers({ requests: { cpu: '500m' } }),
    handed: ['minScale', 'memory'],
    during: scaled('5'),
    after: scaled('5'),
    marksAfter: SCALED.marks,
  },
  {
    what: 'a container beside the function is let go of',
    enforced: {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'function', resources: SIZES },
              { name: 'sidecar', resources: { requests: { cpu: '1' } } },
            ],
          },
        },
      },
      marks: SIZED.marks,
      fields: {
        template: {
          spec: {
            containers: { 'k:{"name":"function"}': { resources: true }, 'k:{"name":"sidecar"}': { resources: true } },
          },
        },
      },
    },
    back: ['memory'],
    rendered: inContainers({ requests: { memory: '32Mi' } }),
    handed: ['cpu'],
    during: inContainers({ requests: { cpu: '200m', memory: '32Mi' }, limits: { cpu: '300m' } }),
    after: inContainers({ requests: { cpu: '200m' }, limits: { cpu: '300m' } }),
    marksAfter: ['oaas.io/enforced-cpu'],
  },
  {
    what: 'replicas stay enforced when requests go back',
    enforced: { spec: { replicas: 5, ...SIZED.spec }, marks: MARKS, fields: { replicas: true, ...OWN_CONTAINERS } },
    back: ['memory', 'cpu'],
    rendered: inContainers({ requests: { cpu: '500m' } }),
    handed: ['replicas'],
    during: { replicas: 5, ...inContainers({ requests: { cpu: '500m' } }) },
    after: { replicas: 5 },
    marksAfter: ['oaas.io/enforced-replicas'],
  },
])('$what', ({ kind = 'Deployment', enforced, back, rendered, handed = [], ...expected }) => {
  const live = liveOf(enforced)
  const draft = (marks: readonly string[], spec: object | undefined) => {
    const { apiVersion, kind: of } = live
    const annotations = Object.fromEntries(marks.map((name) => [name, '5']))
    const metadata = { namespace: 'n', name: 'a', uid: 'u', ...(marks.length > 0 && { annotations }) }
    return { apiVersion, kind: of, metadata, ...(spec && { spec }) }
  }
  const object = { ...live, spec: rendered, metadata: { namespace: 'n', name: 'a' } }
  const { during, after } = handBackOf(live, back, { kind, object, handed })
  expect(after).toEqual(draft(expected.marksAfter ?? [], expected.after))
  expect(spec(during)).toEqual(expected.during ?? {})
  expect(Object.keys(during.metadata['annotations'] ?? {})).toEqual(enforced.marks)
})

const spec = (draft: object): unknown => ('spec' in draft ? draft.spec : {})

test('an autoscaler of somebody else loses mark and value', () => {
  const live = liveOf({ spec: { minReplicas: 5 }, marks: SCALED.marks, fields: { minReplicas: true } })
  expect(letGoOf(live, 'HorizontalPodAutoscaler', ['replicas'])).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'n', name: 'a', uid: 'u' },
  })
})
