import { describe, expect, it } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../../../test/support/sentinel.ts'
import type { KubeObject, ManagedFields } from '../../../kube/index.ts'
import { driftOf as driftWith, driftSeen, settleConflicts } from './drift.ts'
import type { JsonObject } from '../values/json.ts'
import type { OwnershipFacts } from './allowed-owners.ts'
import { masker, MASK } from '../values/redaction.ts'

const NOBODY: OwnershipFacts = { autoscalers: [], allowed: [], ignored: [] }
const HPA: OwnershipFacts = {
  ...NOBODY,
  autoscalers: [{ kind: 'HorizontalPodAutoscaler', name: 'web', target: 'Deployment/web' }],
}

const SCALED = 'HorizontalPodAutoscaler web decides it'

const DESIRED: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'nginx:1',
            ports: [{ containerPort: 80 }],
            resources: { requests: { cpu: 0.5, memory: '1024Mi' } },
          },
        ],
        tolerations: [{ key: 'spot', operator: 'Exists' }],
      },
    },
  },
}

/** What Helm's server-side apply owns of it, as a real API server wrote it down. */
const HELM: ManagedFields = {
  manager: 'helm',
  operation: 'Apply',
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:metadata': { 'f:annotations': { 'f:meta.helm.sh/release-name': {} }, 'f:labels': { 'f:app': {} } },
    'f:spec': {
      'f:replicas': {},
      'f:selector': {},
      'f:template': {
        'f:metadata': { 'f:labels': { 'f:app': {} } },
        'f:spec': {
          'f:containers': {
            'k:{"name":"web"}': {
              '.': {},
              'f:image': {},
              'f:name': {},
              'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
              'f:resources': { 'f:requests': { 'f:cpu': {}, 'f:memory': {} } },
            },
          },
          'f:tolerations': {},
        },
      },
    },
  },
}

const claim = (manager: string, fieldsV1: JsonObject, more: Partial<ManagedFields> = {}): ManagedFields => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})

const driftOf = (desired: JsonObject, seen: KubeObject | undefined, facts: OwnershipFacts) =>
  driftWith(desired, seen, facts, masker([SENTINEL]))

interface Edit {
  readonly replicas?: number
  readonly web?: JsonObject
  readonly pod?: JsonObject
  readonly labels?: JsonObject
  readonly managed?: readonly ManagedFields[]
}

/** The object after the API server and its defaults, edited. */
const live = ({ replicas = 1, web = {}, pod = {}, labels = { app: 'web' }, managed = [] }: Edit = {}): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'ns',
      labels: { ...labels, 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'deployment.kubernetes.io/revision': '1' },
      managedFields: [HELM, ...managed],
    },
    spec: {
      progressDeadlineSeconds: 600,
      replicas,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate' },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            { name: 'istio-proxy', image: 'proxy:1' },
            {
              name: 'web',
              image: 'nginx:1',
              imagePullPolicy: 'Always',
              ports: [{ containerPort: 80, protocol: 'TCP' }],
              resources: { requests: { cpu: '500m', memory: '1Gi' } },
              ...web,
            },
          ],
          dnsPolicy: 'ClusterFirst',
          tolerations: [{ key: 'spot', operator: 'Exists' }],
          ...pod,
        },
      },
    },
    status: { replicas },
  }) as KubeObject

const CONTAINER = 'spec.template.spec.containers[name=web]'
const scaledBy = (manager: string): Edit => ({
  replicas: 3,
  managed: [claim(manager, { 'f:spec': { 'f:replicas': {} } }, { subresource: 'scale' })],
})

describe('driftOf', () => {
  it('sees nothing in defaults, sidecars and the ways a server writes things down', () => {
    expect(driftOf(DESIRED, live(), NOBODY)).toEqual({
      object: 'Deployment/web',
      missing: false,
      drifted: [],
      leftAlone: [],
      unrepairable: [],
    })
  })

  it('calls a manual scale drift', () => {
    expect(driftOf(DESIRED, live(scaledBy('kubectl')), NOBODY).drifted).toEqual([
      { path: 'spec.replicas', ours: 1, live: 3, owner: 'kubectl (scale)' },
    ])
  })

  it.each(['kube-controller-manager', 'kubectl'])(
    'leaves replicas alone under an autoscaler, last written by %s',
    (manager) => {
      const { drifted, leftAlone } = driftOf(DESIRED, live(scaledBy(manager)), HPA)
      expect(drifted).toEqual([])
      expect(leftAlone).toMatchObject([{ path: 'spec.replicas', why: 'HorizontalPodAutoscaler web decides it' }])
    },
  )

  it('does not mind whom an autoscaler of another object scales', () => {
    const facts: OwnershipFacts = { ...NOBODY, autoscalers: [{ ...HPA.autoscalers[0]!, target: 'Deployment/api' }] }
    expect(driftOf(DESIRED, live(scaledBy('kube-controller-manager')), facts).drifted).toHaveLength(1)
  })

  it('lets a vertical autoscaler change resources and nothing else', () => {
    const facts: OwnershipFacts = {
      ...NOBODY,
      autoscalers: [{ kind: 'VerticalPodAutoscaler', name: 'web', target: 'Deployment/web' }],
    }
    const report = driftOf(
      DESIRED,
      live({ web: { image: 'evil', resources: { requests: { cpu: '2', memory: '1Gi' } } } }),
      facts,
    )
    expect(report.leftAlone.map(({ path }) => path)).toEqual([`${CONTAINER}.resources.requests.cpu`])
    expect(report.drifted.map(({ path }) => path)).toEqual([`${CONTAINER}.image`])
  })

  it('names the owner of a field in a list', () => {
    const fields = {
      'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { 'f:image': {} } } } } },
    }
    const edited = live({ web: { image: 'nginx:2' }, managed: [claim('kubectl-edit', fields)] })
    expect(driftOf(DESIRED, edited, NOBODY).drifted).toEqual([
      { path: `${CONTAINER}.image`, ours: 'nginx:1', live: 'nginx:2', owner: 'kubectl-edit' },
    ])
  })

  it('trusts the managers it was told to, where it was told to', () => {
    const edited = live({
      labels: { app: 'other' },
      replicas: 3,
      managed: [claim('policy-bot', { 'f:metadata': { 'f:labels': { 'f:app': {} } }, 'f:spec': { 'f:replicas': {} } })],
    })
    const facts: OwnershipFacts = {
      ...NOBODY,
      allowed: [{ manager: 'policy-*', under: '.metadata.labels', saidBy: 'platform' }],
    }
    expect(driftOf(DESIRED, edited, facts)).toMatchObject({
      drifted: [{ path: 'spec.replicas', owner: 'policy-bot' }],
      leftAlone: [{ path: 'metadata.labels.app', why: 'the platform lets policy-bot own it' }],
    })
  })

  it('notices what was taken out', () => {
    expect(driftOf(DESIRED, live({ labels: {}, pod: { tolerations: [] } }), NOBODY).drifted).toEqual([
      { path: 'metadata.labels.app', ours: 'web', live: null, owner: 'helm' },
      { path: 'spec.template.spec.tolerations', ours: [{ key: 'spot', operator: 'Exists' }], live: [], owner: 'helm' },
    ])
    expect(driftOf(DESIRED, live({ pod: { containers: [] } }), NOBODY).drifted[0]).toMatchObject({ path: CONTAINER })
  })

  it('notices that the object is gone', () => {
    expect(driftOf(DESIRED, undefined, NOBODY)).toMatchObject({ object: 'Deployment/web', missing: true })
  })

  it('compares a Secret as it is stored and shows nothing of it', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: SENTINEL } }
    const stored = (text: string): KubeObject =>
      ({ ...secret, stringData: undefined, data: { a: Buffer.from(text).toString('base64') } }) as unknown as KubeObject
    expect(driftOf(secret, stored(SENTINEL), NOBODY).drifted).toEqual([])
    expect(driftOf(secret, stored('other'), NOBODY).drifted).toEqual([
      { path: 'data.a', ours: MASK, live: MASK, owner: 'no manager' },
    ])
  })

  it('shows nothing of a Secret that lost all its data', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'other-secret' } }
    const emptied = { ...secret, stringData: undefined } as unknown as KubeObject
    expect(driftOf(secret, emptied, NOBODY).drifted).toEqual([
      { path: 'data', ours: { a: MASK }, live: null, owner: 'no manager' },
    ])
  })

  it('hides a secret that a chart rendered into a plain field', () => {
    const report = driftOf(DESIRED, live({ web: { image: `x/${SENTINEL}` } }), NOBODY)
    expect(report.drifted).toHaveLength(1)
    expectNoSentinel(report)
  })

  it('keeps a changed text from passing as an equal quantity', () => {
    const map = (a: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { a },
    })
    expect(driftOf(map('1024Mi'), map('1Gi') as unknown as KubeObject, NOBODY).drifted).toHaveLength(1)
  })
})

it('sums up a release for decide', () => {
  const scaled = live(scaledBy('kube-controller-manager'))
  const objects = [
    driftOf(DESIRED, scaled, HPA),
    driftOf({ kind: 'Service', metadata: { name: 'web' } }, undefined, HPA),
  ]
  expect(driftSeen(objects)).toEqual({
    edited: [],
    missing: ['Service/web'],
    unrepairable: [],
    handedOver: [
      { object: 'Deployment/web', path: 'spec.replicas', owner: 'kube-controller-manager (scale)', why: SCALED },
    ],
    ignored: [],
  })
  const ignored = [{ kind: 'Deployment', paths: ['/spec/replicas'] }]
  const rule = '/spec/replicas of Deployment'
  expect(driftSeen([driftOf(DESIRED, scaled, { ...NOBODY, ignored })])).toMatchObject({
    edited: [],
    handedOver: [{ path: 'spec.replicas', rule }],
    ignored: [{ object: 'Deployment/web', path: 'spec.replicas', rule }],
  })
})

it('applies what is ignored and only ours, and leaves out what another holds or nobody has', () => {
  const ignored = [{ kind: 'Deployment', paths: ['/spec/replicas'] }]
  const isLeftOut = (object: KubeObject) =>
    driftOf(DESIRED, object, { ...NOBODY, ignored }).leftAlone.map((one) => one.isLeftOut)
  const { managedFields: _fields, ...metadata } = live({}).metadata
  const spec = (DESIRED['spec'] ?? {}) as JsonObject
  const { replicas: _replicas, ...unscaled } = spec
  const as = (changed: JsonObject) => ({ ...live({}), metadata, spec: changed }) as unknown as KubeObject
  expect(isLeftOut(live(scaledBy('kubectl')))).toEqual([true])
  expect(isLeftOut(as({ ...spec, replicas: 7 }))).toEqual([false])
  expect(isLeftOut(as(unscaled))).toEqual([true])
})

describe('settleConflicts', () => {
  const conflicts = [
    { field: '.spec.replicas', manager: 'kube-controller-manager', subresource: 'scale' },
    { field: '.spec.template.spec.containers[name="web"].image', manager: 'kubectl-edit', subresource: undefined },
  ]

  it('hands over what is meant to be another’s and repairs the rest', () => {
    expect(settleConflicts(DESIRED, conflicts, HPA)).toEqual({
      repair: [conflicts[1]],
      handOver: [
        { object: 'Deployment/web', path: 'spec.replicas', owner: 'kube-controller-manager (scale)', why: SCALED },
      ],
    })
    expect(settleConflicts(DESIRED, conflicts, NOBODY)).toEqual({ repair: conflicts, handOver: [] })
  })

  it('knows the field of a list item by the words of the server', () => {
    const facts: OwnershipFacts = { ...NOBODY, allowed: [{ manager: 'kubectl-edit', saidBy: 'platform' }] }
    expect(settleConflicts(DESIRED, conflicts, facts)).toEqual({
      repair: [conflicts[0]],
      handOver: [
        {
          object: 'Deployment/web',
          path: `${CONTAINER}.image`,
          owner: 'kubectl-edit',
          why: 'the platform lets kubectl-edit own it',
        },
      ],
    })
  })

  it('repairs a field that the object does not have', () => {
    const unknown = { field: '.spec.paused', manager: 'kubectl-edit', subresource: undefined }
    const facts: OwnershipFacts = { ...NOBODY, allowed: [{ manager: 'kubectl-edit', saidBy: 'platform' }] }
    expect(settleConflicts(DESIRED, [unknown], facts)).toEqual({ repair: [unknown], handOver: [] })
  })
})
