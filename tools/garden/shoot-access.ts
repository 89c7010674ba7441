import { readFile, writeFile } from 'node:fs/promises'
import type { Shoot } from '../../src/domains/clusters/gardener/shoot.ts'
import {
  ClusterRoleBinding,
  ConfigMap,
  httpTransport,
  loadKubeConfig,
  makeClient,
  type Client,
} from '../../src/kube/index.ts'
import { createAuthority, type Certified } from '../control-plane/index.ts'
import { InternalSecret } from './resources.ts'

/** The API server that stands behind a Shoot. */
export interface ShootEndpoint {
  readonly server: string
  /** PEM of the authority of its own certificate. */
  readonly ca: string
}

/** Signs the certificates in admin kubeconfigs of Shoots. Gardener reads keys of RSA alone. */
export async function keptClientAuthority(file: string): Promise<Certified> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text !== undefined) return JSON.parse(text) as Certified
  const { certified } = createAuthority('caelus-local-shoots', new Date(), 'rsa')
  await writeFile(file, JSON.stringify(certified), { mode: 0o600 })
  return certified
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const namesOf = ({ metadata }: Shoot) => ({
  client: { namespace: metadata.namespace ?? '', name: `${metadata.name}.ca-client` },
  cluster: { namespace: metadata.namespace ?? '', name: `${metadata.name}.ca-cluster` },
})

/** What gardener-apiserver makes an admin kubeconfig of, apart from the address in the status. */
export async function publishAccess(client: Client, shoot: Shoot, ca: string, signer: Certified): Promise<void> {
  const names = namesOf(shoot)
  const labels = (role: string) => ({ 'gardener.cloud/role': role, 'shoot.gardener.cloud/name': shoot.metadata.name })
  const force = { force: true }
  await client.apply(
    InternalSecret,
    {
      apiVersion: 'core.gardener.cloud/v1beta1',
      kind: 'InternalSecret',
      metadata: { ...names.client, labels: labels('ca-client') },
      type: 'Opaque',
      data: { 'ca.crt': base64(signer.cert), 'ca.key': base64(signer.key) },
    },
    force,
  )
  await client.apply(
    ConfigMap,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...names.cluster, labels: labels('ca-cluster') },
      data: { 'ca.crt': ca },
    },
    force,
  )
}

export async function withdrawAccess(client: Client, shoot: Shoot): Promise<void> {
  const names = namesOf(shoot)
  await client.delete(InternalSecret, names.client)
  await client.delete(ConfigMap, names.cluster)
}

/** The groups in admin kubeconfigs: of those who may do everything in the garden, and of members of the project. */
const ADMINS = ['gardener.cloud:system:admins', 'gardener.cloud:project:admins']

/**
 * Makes a control plane stand behind Shoots: the holders of admin kubeconfigs may do everything there. It must have been
 * started with the garden's client authority among its `clientAuthorities`.
 */
export async function endpointOf(kubeconfig: string): Promise<ShootEndpoint> {
  const config = await loadKubeConfig({ path: kubeconfig })
  const transport = httpTransport(config)
  try {
    const client = makeClient(transport, { fieldManager: 'gardenlet' })
    const group = 'rbac.authorization.k8s.io'
    for (const name of ADMINS)
      await client.apply(ClusterRoleBinding, {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: group, kind: 'Group', name }],
      })
    return { server: config.server, ca: config.tls.ca ?? '' }
  } finally {
    await transport.close()
  }
}
