import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Clock, systemClock } from '../../kernel/index.ts'
import type { Identity } from '../client/client.ts'
import { raiseConfig } from './failures.ts'
import { fixedCredentials, tokenFileCredentials, type Credentials, type CredentialSource } from './credentials.ts'
import { execCredentials } from './exec-plugin.ts'
import {
  parseKubeConfig,
  readKubeConfigFiles,
  type ClusterEntry,
  type KubeConfigFile,
  type UserEntry,
} from './kubeconfig-file.ts'

/** Everything needed to reach one API server as one identity. */
export interface KubeConfig {
  /** The name of the context, or `in-cluster`. */
  readonly context: string
  readonly server: string
  /** The default namespace. */
  readonly namespace: string
  readonly tls: {
    /** PEM. @default the certificates that Node trusts */
    readonly ca?: string
    readonly serverName?: string
    readonly insecure: boolean
  }
  readonly proxyUrl?: string
  readonly credentials: CredentialSource
  /** The user that every request impersonates. */
  readonly impersonate?: Identity
}

export interface LoadOptions {
  /** One file, or several separated as in KUBECONFIG. @default KUBECONFIG, then ~/.kube/config, then in-cluster */
  readonly path?: string
  /** @default the file's current-context */
  readonly context?: string
  /** Provides KUBECONFIG, HOME and the in-cluster address, and is inherited by exec plugins. @default empty */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

export async function loadKubeConfig(options: LoadOptions = {}): Promise<KubeConfig> {
  const { env = {}, clock = systemClock } = options
  const paths = (options.path ?? env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '')
  if (paths.length > 0) {
    const file = await readKubeConfigFiles(paths)
    if (file === undefined) throw raiseConfig(`failed to read kubeconfig ${paths.join(', ')}: no such file`)
    return fromFile(file, options.context, env, clock)
  }
  const home = env.HOME ?? env.USERPROFILE
  const file = home === undefined ? undefined : await readKubeConfigFiles([join(home, '.kube', 'config')])
  if (file !== undefined) return fromFile(file, options.context, env, clock)
  if (env.KUBERNETES_SERVICE_HOST !== undefined) return inCluster(env, clock)
  throw raiseConfig(
    'failed to find a kubeconfig: KUBECONFIG is not set, there is no ~/.kube/config, and this is not a pod',
  )
}

/**
 * From the text of a kubeconfig that another system has made. It must name neither files nor programs, which would be those
 * of this machine, and the server must prove who it is, for which it has to use TLS. `from` names it in errors.
 */
export async function kubeConfigFrom(text: string, from: string, clock: Clock = systemClock): Promise<KubeConfig> {
  const file = await parseKubeConfig(text, from)
  const entries = [...file.clusters.values(), ...file.users.values()]
  const named = OF_THIS_MACHINE.find((key) => entries.some((entry) => key in entry))
  if (named !== undefined) throw raiseConfig(`failed to use kubeconfig ${from}: ${named} is not accepted in it`)
  const config = await fromFile(file, undefined, {}, clock)
  if (URL.parse(config.server)?.protocol !== 'https:') {
    const server = withoutPassword(config.server)
    throw raiseConfig(`failed to use kubeconfig ${from}: its server (${server}) has to be an https:// URL`)
  }
  return config
}

const OF_THIS_MACHINE = [
  'certificate-authority',
  'client-certificate',
  'client-key',
  'tokenFile',
  'exec',
  'insecure-skip-tls-verify',
  'proxy-url',
] as const

/** The service account of the pod we run in. */
export async function inCluster(
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
  directory = SERVICE_ACCOUNT,
): Promise<KubeConfig> {
  const host = env.KUBERNETES_SERVICE_HOST ?? ''
  const port = env.KUBERNETES_SERVICE_PORT ?? '443'
  const ca = await readPem(join(directory, 'ca.crt'))
  return {
    context: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: (await readFile(join(directory, 'namespace'), 'utf8').catch(() => 'default')).trim(),
    tls: { ca, insecure: false },
    credentials: tokenFileCredentials(join(directory, 'token'), clock),
  }
}

async function fromFile(
  file: KubeConfigFile,
  wanted: string | undefined,
  env: LoadOptions['env'] & object,
  clock: Clock,
): Promise<KubeConfig> {
  const name = wanted ?? file.currentContext
  const context = file.contexts.get(name)
  if (context === undefined) {
    const known = [...file.contexts.keys()].join(', ') || 'none'
    throw raiseConfig(
      name === ''
        ? `failed to choose a context: current-context is not set, known are ${known}`
        : `failed to find context "${name}", known are ${known}`,
    )
  }
  const cluster = file.clusters.get(context.cluster ?? '')
  if (cluster === undefined) throw raiseConfig(`failed to find cluster "${context.cluster}" of context "${name}"`)
  const user = file.users.get(context.user ?? '')
  if (user === undefined && context.user)
    throw raiseConfig(`failed to find user "${context.user}" of context "${name}"`)
  if (!cluster.server) throw raiseConfig(`failed to use cluster "${context.cluster}": it has no server`)

  const ca = await pem(cluster['certificate-authority-data'], cluster['certificate-authority'])
  if (ca !== undefined && cluster['insecure-skip-tls-verify'] === true) {
    throw raiseConfig(
      `failed to use cluster "${context.cluster}": insecure-skip-tls-verify and a certificate authority exclude each other`,
    )
  }
  return {
    context: name,
    server: cluster.server.replace(/\/+$/, ''),
    namespace: context.namespace ?? 'default',
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cluster['tls-server-name'] !== undefined && { serverName: cluster['tls-server-name'] }),
      insecure: cluster['insecure-skip-tls-verify'] ?? false,
    },
    ...(cluster['proxy-url'] && { proxyUrl: cluster['proxy-url'] }),
    credentials: await credentialsOf(context.user ?? '', user ?? {}, cluster, ca, env, clock),
    ...(user?.as !== undefined && {
      impersonate: {
        user: user.as,
        ...(user['as-groups'] && { groups: user['as-groups'] }),
        ...(user['as-user-extra'] && { extra: user['as-user-extra'] }),
      },
    }),
  }
}

async function credentialsOf(
  name: string,
  user: UserEntry,
  cluster: ClusterEntry,
  ca: string | undefined,
  env: LoadOptions['env'] & object,
  clock: Clock,
): Promise<CredentialSource> {
  if (user['auth-provider'] !== undefined) {
    throw raiseConfig(
      `failed to use user "${name}": auth-provider ${user['auth-provider'].name ?? ''} was removed from Kubernetes in 1.26; use an exec plugin or a token`,
    )
  }
  const certificate = await pem(user['client-certificate-data'], user['client-certificate'])
  const key = await pem(user['client-key-data'], user['client-key'])
  if ((certificate === undefined) !== (key === undefined)) {
    throw raiseConfig(`failed to use user "${name}": client-certificate and client-key need each other`)
  }
  const pair: Credentials = certificate !== undefined && key !== undefined ? { certificate, key } : {}
  if (user.tokenFile) return withPair(tokenFileCredentials(user.tokenFile, clock), pair)
  if (user.token) return fixedCredentials('token', { authorization: `Bearer ${user.token}`, ...pair })
  if (user.username) {
    const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')
    return fixedCredentials('basic', { authorization: `Basic ${basic}`, ...pair })
  }
  if (certificate !== undefined) return fixedCredentials('client certificate', pair)
  if (user.exec === undefined) return fixedCredentials('anonymous', {})
  const config = cluster.extensions?.find(
    (extension) => extension.name === 'client.authentication.k8s.io/exec',
  )?.extension
  return execCredentials({
    entry: user.exec,
    env,
    clock,
    cluster: {
      server: cluster.server ?? '',
      ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
      ...(cluster['tls-server-name'] !== undefined && { 'tls-server-name': cluster['tls-server-name'] }),
      ...(cluster['insecure-skip-tls-verify'] !== undefined && {
        'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
      }),
      ...(cluster['proxy-url'] !== undefined && { 'proxy-url': cluster['proxy-url'] }),
      config: config ?? null,
    },
  })
}

const withPair = (source: CredentialSource, pair: Credentials): CredentialSource => ({
  ...source,
  current: async () => ({ ...(await source.current()), ...pair }),
})

/** Inline data takes precedence over a file, as in kubectl. */
async function pem(data: string | undefined, path: string | undefined): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString('utf8')
  return path ? readPem(path) : undefined
}

const readPem = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: unknown) => {
    throw raiseConfig(`failed to read ${path}, which the kubeconfig names`, cause)
  })

/** A copy for logs and support, without secrets and without passwords in URLs. */
export const redacted = (config: KubeConfig): Readonly<Record<string, unknown>> => ({
  context: config.context,
  server: withoutPassword(config.server),
  namespace: config.namespace,
  credentials: config.credentials.kind,
  tls: {
    ca: config.tls.ca === undefined ? 'system' : 'own',
    insecure: config.tls.insecure,
    serverName: config.tls.serverName,
  },
  proxyUrl: config.proxyUrl === undefined ? undefined : withoutPassword(config.proxyUrl),
  impersonate: config.impersonate?.user,
})

function withoutPassword(text: string): string {
  const url = URL.parse(text)
  if (url === null) return 'not a URL'
  url.username = url.password = ''
  return url.href
}
