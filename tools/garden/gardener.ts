import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { APIService, Service, type Client, type Transport } from '../../src/kube/index.ts'
import { fetchUrl } from '../../src/http/index.ts'
import { createAuthority, ETCD_SOCKET, type Extensible } from '../control-plane/index.ts'
import { freePort, onFreePort } from '../process/index.ts'

/** Where the aggregation layer of the kube-apiserver finds the gardener-apiserver. */
const SERVICE = { namespace: 'kube-system', name: 'gardener-apiserver' }

const SERVED = [
  { group: 'core.gardener.cloud', version: 'v1beta1' },
  { group: 'core.gardener.cloud', version: 'v1' },
  { group: 'operations.gardener.cloud', version: 'v1alpha1' },
  { group: 'security.gardener.cloud', version: 'v1alpha1' },
  { group: 'seedmanagement.gardener.cloud', version: 'v1alpha1' },
] as const

/** Starts the gardener-apiserver with all its admission, and waits until the kube-apiserver serves its groups. */
export async function startApiServer(
  { secrets, kubeconfig, processes }: Extensible,
  command: string,
  { client, transport }: { readonly client: Client; readonly transport: Transport },
): Promise<void> {
  const authority = createAuthority('caelus-local-gardener', new Date())
  const { cert, key } = authority.issue({
    commonName: SERVICE.name,
    usage: ['server'],
    names: [`${SERVICE.name}.${SERVICE.namespace}.svc`],
  })
  const [certFile, keyFile] = [join(secrets, 'gardener-apiserver.crt'), join(secrets, 'gardener-apiserver.key')]
  await writeSecret(certFile, cert)
  await writeSecret(keyFile, key)
  const isServed = async ({ group, version }: (typeof SERVED)[number]): Promise<boolean> => {
    const answer = await transport.send({ method: 'GET', path: `/apis/${group}/${version}` }).catch(() => undefined)
    return answer?.status === 200
  }
  await onFreePort(async (port) => {
    await processes.start('gardener-apiserver', {
      command,
      args: [
        `--etcd-servers=${ETCD_SOCKET}`,
        '--etcd-prefix=/registry-gardener',
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        `--tls-cert-file=${certFile}`,
        `--tls-private-key-file=${keyFile}`,
        '--cluster-identity=caelus-local',
        `--kubeconfig=${kubeconfig}`,
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
        '--profiling=false',
      ],
    })
    await register(client, port, authority.certified.cert)
    await processes.until('Gardener is served', async () => (await Promise.all(SERVED.map(isServed))).every(Boolean))
  })
}

/** An ExternalName is followed as long as the kube-apiserver does not route to the endpoints of services itself. */
async function register(client: Client, port: number, ca: string): Promise<void> {
  const force = { force: true }
  await client.apply(
    Service,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: SERVICE,
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    },
    force,
  )
  for (const { group, version } of SERVED)
    await client.apply(
      APIService,
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `${version}.${group}` },
        spec: {
          group,
          version,
          groupPriorityMinimum: 10_000,
          versionPriority: 20,
          caBundle: Buffer.from(ca).toString('base64'),
          service: { ...SERVICE, port },
        },
      },
      force,
    )
}

/** Starts the gardener-controller-manager: namespaces of projects, maintenance, hibernation schedules, retries. */
export async function startControllerManager(
  { secrets, kubeconfig, processes }: Extensible,
  command: string,
): Promise<void> {
  const config = join(secrets, 'gardener-controller-manager.json')
  await onFreePort(async (port) => {
    const loopback = { bindAddress: '127.0.0.1' }
    await writeSecret(
      config,
      JSON.stringify({
        apiVersion: 'controllermanager.config.gardener.cloud/v1alpha1',
        kind: 'ControllerManagerConfiguration',
        gardenClientConnection: { kubeconfig, qps: 200, burst: 400 },
        leaderElection: { leaderElect: false },
        // Without a gardenlet that renews the lease of the seed, the conditions of all Shoots would become Unknown.
        controllers: { seed: { shootMonitorPeriod: '87600h' } },
        logLevel: 'info',
        logFormat: 'text',
        server: { healthProbes: { ...loopback, port }, metrics: { ...loopback, port: await freePort() } },
      }),
    )
    await processes.start('gardener-controller-manager', { command, args: [`--config=${config}`] })
    await processes.until('gardener-controller-manager is ready', () => isReady(port))
  })
}

const isReady = (port: number): Promise<boolean> =>
  fetchUrl({ url: `http://127.0.0.1:${port}/readyz`, timeoutMs: 1_000, maxBytes: 10_000 }).then(
    ({ status }) => status === 200,
    () => false,
  )

const writeSecret = (file: string, text: string): Promise<void> => writeFile(file, text, { mode: 0o600 })
