import { CloudProfiles, Projects, type Project } from '../../src/domains/clusters/gardener/resources.ts'
import {
  Namespace,
  Secret,
  type Client,
  type CoreV1,
  type Draft,
  type KubeObject,
  type Resource,
} from '../../src/kube/index.ts'
import { ControllerRegistration, Seed } from './resources.ts'

/** Provider type, cloud profile, seed, first region, machine type, machine image and credentials binding. */
export const LOCAL = 'local'
/** The namespace of the operator. */
export const GARDEN = 'garden'

const CORE = 'core.gardener.cloud/v1beta1'

/** A label and the first part of the name of a Secret with access to a domain. */
type DomainRole = 'default-domain' | 'internal-domain'

const DOMAINS: Readonly<Record<DomainRole, string>> = {
  'default-domain': 'external.local.gardener.cloud',
  'internal-domain': 'internal.local.gardener.cloud',
}

const nameOfDomain = (role: DomainRole): string => `${role}-${DOMAINS[role].replaceAll('.', '-')}`

const domainSecret = (role: DomainRole): Draft<Secret> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: nameOfDomain(role),
    namespace: GARDEN,
    labels: { app: 'gardener', 'gardener.cloud/role': role },
    annotations: { 'dns.gardener.cloud/provider': LOCAL, 'dns.gardener.cloud/domain': DOMAINS[role] },
  },
  type: 'Opaque',
})

const domainRef = (role: DomainRole): CoreV1.ObjectReference => ({
  apiVersion: 'v1',
  kind: 'Secret',
  name: nameOfDomain(role),
  namespace: GARDEN,
})

/** What the admission of Shoots asks for. No extension runs. */
const registration = (name: string, type: string, kinds: readonly string[]): Draft<ControllerRegistration> => ({
  apiVersion: CORE,
  kind: 'ControllerRegistration',
  metadata: { name },
  spec: { resources: kinds.map((kind) => ({ kind, type })) },
})

const provider = registration('provider-local', LOCAL, [
  'Infrastructure',
  'ControlPlane',
  'Worker',
  'OperatingSystemConfig',
  'DNSRecord',
  'BackupBucket',
  'BackupEntry',
])

const network = registration('networking-calico', 'calico', ['Network'])

/** Without a storage, a Shoot under a quota is refused with an internal error. */
const machineType = <T extends object>(type: T) => ({
  gpu: '0',
  storage: { class: 'standard', type: 'default', size: '20Gi' },
  ...type,
})

const cloudProfile = {
  apiVersion: CORE,
  kind: 'CloudProfile',
  metadata: { name: LOCAL },
  spec: {
    type: LOCAL,
    regions: [{ name: LOCAL }, { name: 'eu-central' }, { name: 'eu-north' }],
    kubernetes: {
      versions: [
        { version: '1.36.1', classification: 'preview' },
        { version: '1.35.4', classification: 'supported' },
        { version: '1.35.2', classification: 'deprecated' },
        { version: '1.34.3', classification: 'supported' },
        { version: '1.34.1', classification: 'deprecated', expirationDate: '2036-01-01T00:00:00Z' },
        { version: '1.33.5', classification: 'deprecated', expirationDate: '2035-01-01T00:00:00Z' },
        { version: '1.32.9', classification: 'deprecated', expirationDate: '2026-04-24T00:00:00Z' },
      ],
    },
    machineTypes: [
      machineType({ name: LOCAL, cpu: '1', memory: '8Gi' }),
      machineType({ name: 'small', cpu: '2', memory: '4Gi' }),
      machineType({ name: 'medium', cpu: '4', memory: '16Gi' }),
      machineType({ name: 'large', cpu: '16', memory: '64Gi' }),
      machineType({ name: 'accelerated', cpu: '16', memory: '128Gi', gpu: '1' }),
      machineType({ name: 'small-arm', cpu: '2', memory: '4Gi', architecture: 'arm64' }),
      machineType({ name: 'retired', cpu: '1', memory: '2Gi', usable: false }),
    ],
    machineImages: [
      {
        name: LOCAL,
        versions: [{ version: '1.0.0', cri: [{ name: 'containerd' }], architectures: ['amd64', 'arm64'] }],
      },
    ],
  },
}

/** An object alone: no gardenlet stands behind it. */
const seed: Draft<Seed> = {
  apiVersion: CORE,
  kind: 'Seed',
  metadata: { name: LOCAL },
  spec: {
    provider: { type: LOCAL, region: LOCAL, zones: ['0'] },
    ingress: { domain: 'ingress.local.seed.local.gardener.cloud', controller: { kind: 'nginx' } },
    networks: {
      nodes: '172.18.0.0/16',
      pods: '10.1.0.0/16',
      services: '10.2.0.0/16',
      shootDefaults: { pods: '10.3.0.0/16', services: '10.4.0.0/16' },
    },
    dns: {
      provider: { type: LOCAL, credentialsRef: domainRef('internal-domain') },
      internal: { type: LOCAL, domain: DOMAINS['internal-domain'], credentialsRef: domainRef('internal-domain') },
      defaults: [{ type: LOCAL, domain: DOMAINS['default-domain'], credentialsRef: domainRef('default-domain') }],
    },
  },
}

const gardenNamespace: Draft<Namespace> = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: GARDEN,
    labels: { 'gardener.cloud/role': 'project', 'project.gardener.cloud/name': GARDEN },
  },
}

const gardenProject: Draft<Project> = {
  apiVersion: CORE,
  kind: 'Project',
  metadata: { name: GARDEN },
  spec: { namespace: GARDEN },
}

/** What an operator has installed before the first project: applied again at every start. */
export async function applyLandscape(client: Client, signal?: AbortSignal): Promise<void> {
  const apply = <T extends KubeObject>(resource: Resource<T>, object: Draft<T>): Promise<T> =>
    client.apply(resource, object, { force: true, ...(signal && { signal }) })
  await apply(Namespace, gardenNamespace)
  await apply(Secret, domainSecret('default-domain'))
  await apply(Secret, domainSecret('internal-domain'))
  await apply(ControllerRegistration, provider)
  await apply(ControllerRegistration, network)
  await apply(CloudProfiles, cloudProfile)
  await apply(Projects, gardenProject)
  await apply(Seed, seed)
}
