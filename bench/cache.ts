import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createEmitter, systemClock } from '../src/kernel/index.ts'
import {
  byOwner,
  cache,
  keeping,
  Pod,
  type KubeObject,
  type WatchEvent,
  type WatchEvents,
  type WatchSource,
  withoutManagedFields,
} from '../src/kube/index.ts'
import { round } from './measure.ts'

/*
 * What 10,000 cached Pods cost: `node bench/cache.ts [count]`. The pods arrive as text, line by line, as a server sends
 * them, so that what the parser leaves in memory counts too. No control plane is needed.
 */

const COUNT = Number(process.argv[2] ?? 10_000)
const LIMIT_KIB = 4

const hex = (i: number, length: number): string => (i * 2_654_435_761).toString(16).padStart(length, '0').slice(-length)
const uid = (i: number): string => `${hex(i, 8)}-${hex(i + 1, 4)}-4${hex(i + 2, 3)}-8${hex(i + 3, 3)}-${hex(i + 4, 12)}`

/** A Pod as a Deployment makes it and a kubelet reports it, with the managed fields of both. */
function podLine(i: number): string {
  const app = `shop-${i % 200}`
  const owner = `${app}-${hex(i % 400, 10)}`
  const name = `${owner}-${hex(i, 5)}`
  const time = '2026-11-15T10:00:00Z'
  const env = Array.from({ length: 8 }, (_, n) => ({ name: `SETTING_${n}`, value: `value ${n} of ${app}` }))
  const condition = (type: string) => ({
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: time,
    observedGeneration: 1,
  })
  const fields = (prefix: string, count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`f:${prefix}${n}`, { '.': {}, 'f:name': {}, 'f:value': {} }]),
    )
  const volume = `kube-api-access-${hex(i, 5)}`
  const mount = { name: volume, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }
  const object = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      generateName: `${owner}-`,
      namespace: `tenant-${String(i % 50).padStart(4, '0')}`,
      uid: uid(i),
      resourceVersion: String(1_000_000 + i),
      generation: 1,
      creationTimestamp: time,
      labels: {
        app,
        'app.kubernetes.io/name': app,
        'app.kubernetes.io/managed-by': 'caelus',
        'pod-template-hash': hex(i % 400, 10),
        tier: 'web',
      },
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '8080',
        'checksum/config': `${hex(i, 16)}${hex(i + 9, 16)}`,
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: owner,
          uid: uid(i % 400),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:metadata': fields('label', 10), 'f:spec': fields('spec', 24) },
        },
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:status': fields('status', 24) },
          subresource: 'status',
        },
      ],
    },
    spec: {
      volumes: [
        {
          name: volume,
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: ['web', 'proxy'].map((container) => ({
        name: container,
        image: `registry.example/${app}/${container}:1.${i % 20}.0`,
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env,
        resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '50m', memory: '64Mi' } },
        volumeMounts: [mount],
        readinessProbe: {
          httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: '/dev/termination-log',
        imagePullPolicy: 'IfNotPresent',
      })),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: `node-${i % 100}.region-1.example`,
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
    status: {
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        condition,
      ),
      hostIP: `10.0.${i % 100}.1`,
      podIP: `10.244.${i % 100}.${i % 250}`,
      podIPs: [{ ip: `10.244.${i % 100}.${i % 250}` }],
      startTime: time,
      containerStatuses: ['web', 'proxy'].map((container) => ({
        name: container,
        state: { running: { startedAt: time } },
        lastState: {},
        ready: true,
        restartCount: i % 3,
        image: `registry.example/${app}/${container}:1.${i % 20}.0`,
        imageID: `registry.example/${app}/${container}@sha256:${hex(i, 16).repeat(4)}`,
        containerID: `containerd://${hex(i, 16).repeat(4)}`,
      })),
      qosClass: 'Burstable',
    },
  }
  return JSON.stringify({ type: 'ADDED', object })
}

const END = JSON.stringify({
  type: 'BOOKMARK',
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: '', resourceVersion: '2000000', annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
})

const source: WatchSource = {
  listPage: () => Promise.reject(new Error('not asked for')),
  async *watchEvents<T extends KubeObject>(
    _resource: unknown,
    _options: unknown,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    for (let i = 0; i < COUNT; i++) yield JSON.parse(podLine(i)) as WatchEvent<T>
    yield JSON.parse(END) as WatchEvent<T>
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  },
}

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void
const heap = (): number => {
  for (let i = 0; i < 3; i++) gc()
  return process.memoryUsage().heapUsed
}

/** What a controller of workloads reads of a Pod. */
const DECLARED = [
  'metadata.labels',
  'metadata.ownerReferences',
  'spec.nodeName',
  'spec.containers.name',
  'spec.containers.image',
  'status.phase',
  'status.podIP',
  'status.conditions.type',
  'status.conditions.status',
  'status.containerStatuses.name',
  'status.containerStatuses.ready',
  'status.containerStatuses.restartCount',
]

const variants: Readonly<Record<string, (pod: Pod) => Pod>> = {
  'declared fields': keeping(...DECLARED),
  'all but managedFields': withoutManagedFields,
  everything: (pod) => pod,
}

/** In a function of its own, so that nothing of one variant is alive when the next is measured. */
async function measure(keep: (pod: Pod) => Pod): Promise<{ readonly kib: number; readonly cpuMicros: number }> {
  const before = heap()
  const cpuBefore = process.cpuUsage()
  const deps = { source, clock: systemClock, emitter: createEmitter<WatchEvents>() }
  const cached = cache<Pod>(deps, { resource: Pod, indexes: { owner: byOwner }, keep })
  await cached.start()
  const { user, system } = process.cpuUsage(cpuBefore)
  const kib = round((heap() - before) / 1024 / cached.size)
  await cached.stop()
  return { kib, cpuMicros: round((user + system) / COUNT, 1) }
}

console.log(`${COUNT} pods of ${round(podLine(1).length / 1024, 1)} KiB on the wire`)
for (const [name, keep] of Object.entries(variants)) {
  const { kib, cpuMicros } = await measure(keep)
  console.log(
    `${name.padEnd(22)} ${kib.toFixed(2)} KiB and ${cpuMicros} µs of CPU per pod, generating and parsing included`,
  )
  if (keep === variants['declared fields'] && kib > LIMIT_KIB) {
    console.error(`a pod reduced to declared fields takes ${kib} KiB, more than ${LIMIT_KIB}`)
    process.exitCode = 1
  }
}
