import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { APPS } from '../../src/config/apps.ts'
import { HELM_MEMORY_MIB } from '../../src/domains/apps/helm/cli.ts'
import { waitingBeside } from '../../src/domains/apps/worker.ts'
import { RUNTIMES } from '../../src/config/runtimes.ts'
import { readConfig, SERVER, WORKERS } from '../../src/config/index.ts'
import { SECTIONS } from '../../src/processes/sections.ts'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Namespace, Pod } from '../../src/kube/index.ts'
import { VERSION } from '../../src/version.ts'
import { freshNamespace, testClient } from '../support/kube.ts'
import { adminHelm, ensureHome, HOME, type Values } from './chart.ts'

interface Rendered {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Record<string, string>
  }
  readonly spec?: {
    readonly replicas?: number
    readonly template?: { readonly spec: PodSpec }
  }
}

interface PodSpec {
  readonly enableServiceLinks?: boolean
  readonly initContainers?: readonly Container[]
  readonly containers: readonly Container[]
}

interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly env: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string } }
  }[]
}

const EVERYTHING: Values = {
  'ingress.enabled': true,
  clusters: { enabled: true, kubeconfigSecret: 'garden', providerType: 'aws', namespace: 'garden-fundament' },
  'runtimes.prometheusUrl': 'http://prometheus.example.com:9090',
  'runtimes.odgmImage': 'registry.example.com/odgm:1',
  apps: {
    perUser: 20,
    reservedDomains: 'example.com',
    allowedManagers: 'istio*=metadata.annotations',
    chartProvenance: 'required',
    chartKeyring: '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n-----END PGP PUBLIC KEY BLOCK-----\n',
    podSecurity: 'restricted',
    quota: 'pods=5',
    ingressCidrs: '10.0.0.0/8',
  },
  config: {
    CAELUS_OIDC_ISSUER: 'https://login.example.com',
    CAELUS_OIDC_CLIENT_ID: 'caelus',
    CAELUS_RATE_LIMIT: 900,
    RECONCILE_INTERVAL: '10m',
  },
}

async function rendered(values: Values): Promise<Rendered[]> {
  await using helm = await adminHelm()
  const text = await helm.run(['template', 'caelus', '--namespace', HOME], values)
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Rendered | null) ?? [])
}

const processes = (objects: readonly Rendered[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) => spec?.template?.spec.containers[0]?.args ?? [])

test('the API server accepts the whole chart', async () => {
  await using client = await testClient()
  await ensureHome(client)
  await using helm = await adminHelm()
  // Our kinds are on this control plane already.
  const install = ['install', 'caelus', '--namespace', HOME, '--dry-run=server', '--take-ownership']
  const notes = await helm.run(install, EVERYTHING)
  expect(notes).toContain(`Caelus ${VERSION} is at https://caelus.example.com.`)
})

test('its pods are let in where they must be restricted', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const enforced = { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } }
  await client.patch(Namespace, { name: namespace.name }, { merge: { metadata: enforced } })
  for (const { metadata, spec } of await rendered(EVERYTHING)) {
    if (spec?.template === undefined) continue
    const pod = { ...spec.template.spec, serviceAccountName: 'default' } as unknown as NonNullable<Pod['spec']>
    const place = { namespace: namespace.name, name: metadata.name }
    await client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: place, spec: pod }, { dryRun: true })
  }
})

test('a process is there when it is wanted, with a budget when it is not alone', async () => {
  const all = await rendered(EVERYTHING)
  expect(processes(all).toSorted()).toEqual(['api', 'run-cluster-worker', 'run-controllers', 'run-worker-loop'])
  const some = await rendered({
    'worker.enabled': false,
    'controllers.enabled': false,
    'api.replicas': 1,
    'migrate.enabled': false,
  })
  expect(processes(some)).toEqual(['api'])
  expect(some.filter(({ kind }) => /PodDisruptionBudget|Job|Policy/.test(kind))).toEqual([])
})

test('every process that stays is probed where it listens', async () => {
  const pods = (await rendered(EVERYTHING)).filter(({ kind }) => kind === 'Deployment')
  expect(pods).toHaveLength(4)
  for (const { spec } of pods) {
    const [port, value] =
      spec?.template?.spec.containers[0]?.args[0] === 'run-cluster-worker'
        ? ['HEALTH_PORT', '8097']
        : ['CAELUS_PORT', '8080']
    expect(spec?.template?.spec.containers[0]).toMatchObject({
      ports: [{ name: 'http', containerPort: Number(value) }],
      env: expect.arrayContaining([{ name: port, value }]),
      livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
    })
  }
})

test('the worker of clusters has the kubeconfig of the garden, and no account of this cluster', async () => {
  const objects = await rendered(EVERYTHING)
  const podOf = (command: string) =>
    objects.find(({ kind, spec }) => kind === 'Deployment' && spec?.template?.spec.containers[0]?.args[0] === command)
      ?.spec?.template?.spec
  const worker = podOf('run-cluster-worker')
  expect(worker).toMatchObject({
    automountServiceAccountToken: false,
    volumes: expect.arrayContaining([expect.objectContaining({ name: 'garden' })]),
  })
  expect(JSON.stringify(podOf('run-controllers'))).not.toMatch(/garden/i)
  for (const pod of [worker, podOf('api'), podOf('run-worker-loop')]) {
    const env = Object.fromEntries(pod?.containers[0]?.env.map(({ name, value }) => [name, value]) ?? [])
    expect(env).toMatchObject({
      GARDENER_MODE: 'real',
      GARDENER_KUBECONFIG: '/etc/caelus-garden/kubeconfig',
      GARDENER_NAMESPACE: 'garden-fundament',
      GARDENER_PROVIDER_TYPE: 'aws',
    })
  }
  expect(worker?.containers[0]?.env.map(({ name }) => name)).not.toContain('CAELUS_KUBECONFIG')
  await expect(rendered({ 'clusters.enabled': true })).rejects.toThrow('clusters.kubeconfigSecret')
  const simulated = { 'clusters.enabled': true, 'clusters.mode': 'mock' }
  await expect(rendered(simulated)).rejects.toThrow('clusters.replicas')
  expect(processes(await rendered({ ...simulated, 'clusters.replicas': 1 }))).toContain('run-cluster-worker')
  const off = JSON.stringify(await rendered({}))
  expect(off).not.toMatch(/GARDENER_|run-cluster-worker/)
})

test('the schema is migrated before a new version starts', async () => {
  const [job] = (await rendered({})).filter(({ kind }) => kind === 'Job')
  expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
  expect(job?.spec?.template?.spec.initContainers).toEqual([
    expect.objectContaining({ image: `caelus:${VERSION}`, args: ['migrate'] }),
  ])
  expect(job?.spec?.template?.spec.containers[0]?.args[0]).toBe('create-database-logins')
  const [alone] = (await rendered({ 'database.createLogins': false })).filter(({ kind }) => kind === 'Job')
  expect(alone?.spec?.template?.spec.initContainers).toBe(undefined)
  expect(alone?.spec?.template?.spec.containers.map(({ args }) => args)).toEqual([['migrate']])
})

test('only the migration has the login of the owner; API and workers have their own', async () => {
  const secretsOf = ({ env }: Container): unknown[] =>
    env.filter(({ name }) => name === 'DATABASE_URL').map(({ valueFrom }) => valueFrom?.secretKeyRef.name)
  const logins = (await rendered({})).flatMap(({ spec }) => {
    const { initContainers = [], containers } = spec?.template?.spec ?? { containers: [] }
    return [...initContainers, ...containers].map((container) => [container.args[0], ...secretsOf(container)])
  })
  expect(new Map(logins.map(([command, ...secrets]) => [command, secrets]))).toEqual(
    new Map([
      ['api', ['caelus-database-api']],
      ['run-controllers', ['caelus-database-worker']],
      ['run-worker-loop', ['caelus-database-worker']],
      ['migrate', ['caelus-database-owner']],
      ['create-database-logins', ['caelus-database-owner']],
    ]),
  )
})

test('the program accepts the environment that the chart gives it, and the service is not in it', async () => {
  const secrets: Readonly<Record<string, string>> = {
    DATABASE_URL: 'postgres://caelus@db/caelus',
    CAELUS_SESSION_KEY: randomBytes(32).toString('base64'),
    CAELUS_VALUES_KEY: `k1:${randomBytes(32).toString('base64')}`,
    CAELUS_OIDC_CLIENT_SECRET: 'secret',
  }
  for (const { kind, spec } of await rendered(EVERYTHING)) {
    const pod = spec?.template?.spec
    if (pod === undefined) continue
    expect(pod.enableServiceLinks, kind).toBe(false)
    const env = pod.containers[0]?.env ?? []
    expect(env.filter(({ valueFrom }) => valueFrom !== undefined).every(({ name }) => name in secrets)).toBe(true)
    const given = Object.fromEntries(env.map(({ name, value }) => [name, value ?? secrets[name]]))
    const config = readConfig(given, { sections: SECTIONS })
    if (kind !== 'Deployment') continue
    expect(config.of(SERVER)).toMatchObject({ rateLimit: 900, trustProxy: 1, host: '0.0.0.0' })
    expect(config.of(RUNTIMES).profile).toBe('full')
    expect(config.of(APPS)).toMatchObject({
      deploymentsPerUser: 20,
      reservedDomains: ['example.com'],
      allowedManagers: [{ manager: 'istio*' }],
      chartProvenance: 'required',
      chartKeyring: '/etc/caelus/chart-keyring.asc',
      podSecurity: 'restricted',
      quota: { pods: '5' },
      networkPolicy: 'isolated',
      ingressCidrs: ['10.0.0.0/8'],
    })
    expect(config.of(RUNTIMES).prometheusUrl).toContain('http://prometheus.example.com:9090')
  }
})

test.each<[string, Values]>([
  ['publicUrl', { publicUrl: 'http://caelus.example.com' }],
  ['CAELUS_SESSION_KEY', { config: { CAELUS_SESSION_KEY: 'secrets are no values' } }],
  ['CAELUS_RUNTIMES_IDENTITY', { config: { CAELUS_RUNTIMES_IDENTITY: 'all of them lead' } }],
  ['prometheusUrl', { 'runtimes.prometheusUrl': 'prometheus:9090' }],
  ['replica', { worker: { replica: 3 } }],
  ['podSecurity', { 'apps.podSecurity': 'none' }],
])('a wrong %s is refused before anything is installed', async (name, values) => {
  await expect(rendered(values)).rejects.toThrow(name)
})

test('another namespace than that of the locks is refused', async () => {
  await using helm = await adminHelm()
  await expect(helm.run(['template', 'caelus', '--namespace', 'elsewhere'])).rejects.toThrow(
    /--namespace caelus-system/,
  )
})

test('what all Helm processes of a pod may hold fits into it, beside the process itself', async () => {
  const text = await readFile(join(import.meta.dirname, '../../deploy/chart/values.yaml'), 'utf8')
  const values = parse(text) as Record<'api' | 'worker', { resources: { limits: { memory: string } } }>
  const mebibytes = (pod: 'api' | 'worker'): number => {
    const [, amount] = /^(\d+)Mi$/.exec(values[pod].resources.limits.memory) ?? []
    return Number(amount)
  }
  const config = readConfig({}, { sections: SECTIONS })
  const ITSELF = 256
  expect(ITSELF + config.of(APPS).previewConcurrency * HELM_MEMORY_MIB).toBeLessThanOrEqual(mebibytes('api'))
  const { concurrency } = config.of(WORKERS)
  const atOnce = concurrency + waitingBeside(concurrency)
  expect(ITSELF + atOnce * HELM_MEMORY_MIB).toBeLessThanOrEqual(mebibytes('worker'))
})
