import { chmod, mkdtemp, rm, writeFile, mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { failureOf, manualClock, systemClock } from '../../src/kernel/index.ts'
import { inCluster } from '../../src/kube/config/config.ts'
import { httpTransport, loadKubeConfig, redacted, ServiceAccount, type KubeConfig } from '../../src/kube/index.ts'
import { expectNoSentinel, SENTINEL, SENTINEL_LINE } from '../support/sentinel.ts'
import { freshNamespace, testClient, testConfig } from '../support/kube.ts'
import { json, loopback } from './loopback.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubeconfig-'))
})
afterEach(() => rm(dir, { recursive: true }))

async function file(name: string, content: unknown): Promise<string> {
  const path = join(dir, name)
  await writeFile(path, typeof content === 'string' ? content : stringify(content))
  return path
}

const kubeconfig = (user: object, cluster: object = {}) => ({
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
  users: [{ name: 'u', user }],
})

const load = async (user: object, cluster: object = {}): Promise<KubeConfig> =>
  loadKubeConfig({ path: await file('config', kubeconfig(user, cluster)), env: { PATH: '/usr/bin:/bin' } })

describe('a kubeconfig', () => {
  test('gives server, namespace and token of its current context', async () => {
    const config = await load({ token: 's3cret' })
    expect(config).toMatchObject({
      context: 'here',
      server: 'https://127.0.0.1:6443',
      namespace: 'shop',
      tls: { insecure: false },
    })
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer s3cret' })
  })

  test('gives another context when asked, and lists them when it is unknown', async () => {
    const path = await file('config', {
      ...kubeconfig({}),
      contexts: [
        { name: 'a', context: { cluster: 'c' } },
        { name: 'b', context: { cluster: 'c' } },
      ],
    })
    expect((await loadKubeConfig({ path, context: 'b' })).namespace).toBe('default')
    await expect(loadKubeConfig({ path, context: 'z' })).rejects.toThrow('failed to find context "z", known are a, b')
  })

  test('is merged from several files: the first to name a thing wins, missing files are skipped', async () => {
    const first = await file('first', {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: { token: 'first' } }],
    })
    const second = await file('second', kubeconfig({ token: 'second' }))
    const config = await loadKubeConfig({ env: { KUBECONFIG: [first, join(dir, 'absent'), second].join(delimiter) } })
    expect(config).toMatchObject({ context: 'x', server: 'https://127.0.0.1:6443' })
    expect(await config.credentials.current()).toEqual({ authorization: 'Bearer first' })
  })

  test('is found in the home directory', async () => {
    await mkdir(join(dir, '.kube'))
    await file('.kube/config', kubeconfig({ token: 't' }))
    expect((await loadKubeConfig({ env: { HOME: dir } })).context).toBe('here')
  })

  test('reads files relative to itself', async () => {
    await file('crt.pem', 'CERT')
    await file('key.pem', 'KEY')
    await file('ca.pem', 'CA')
    const config = await load(
      { 'client-certificate': 'crt.pem', 'client-key': 'key.pem' },
      { 'certificate-authority': 'ca.pem' },
    )
    expect(await config.credentials.current()).toEqual({ certificate: 'CERT', key: 'KEY' })
    expect(config.tls.ca).toBe('CA')
  })

  test('prefers data to files', async () => {
    const data = (text: string) => Buffer.from(text).toString('base64')
    const config = await load(
      { 'client-certificate-data': data('CERT'), 'client-key-data': data('KEY'), 'client-certificate': 'absent' },
      {
        'certificate-authority-data': data('CA'),
        'certificate-authority': 'absent',
        'tls-server-name': 'kubernetes',
        'proxy-url': 'http://me:pw@proxy:3128',
      },
    )
    expect(await config.credentials.current()).toEqual({ certificate: 'CERT', key: 'KEY' })
    expect(config).toMatchObject({ tls: { ca: 'CA', serverName: 'kubernetes' }, proxyUrl: 'http://me:pw@proxy:3128' })
  })

  test('knows user name and password', async () => {
    const { authorization = '' } = await (await load({ username: 'ada', password: 'pw' })).credentials.current()
    expect(Buffer.from(authorization.slice('Basic '.length), 'base64').toString()).toBe('ada:pw')
  })

  test('shows nothing secret in its redacted form', async () => {
    const inUrl = encodeURIComponent(SENTINEL_LINE)
    const config = await load(
      { token: SENTINEL_LINE, username: 'a', password: SENTINEL_LINE },
      { 'proxy-url': `http://me:${inUrl}@proxy:3128`, server: `https://u:${inUrl}@127.0.0.1` },
    )
    expect(redacted(config)).toMatchObject({ context: 'here', credentials: 'token', proxyUrl: 'http://proxy:3128/' })
    expectNoSentinel(redacted(config), SENTINEL_LINE)
  })

  test.each([
    [
      'an auth-provider',
      { 'auth-provider': { name: 'gcp' } },
      {},
      'auth-provider gcp was removed from Kubernetes in 1.26; use an exec plugin or a token',
    ],
    [
      'a certificate without its key',
      { 'client-certificate-data': 'QQ==' },
      {},
      'client-certificate and client-key need each other',
    ],
    ['a missing file', { 'client-certificate': 'gone.pem' }, {}, 'gone.pem, which the kubeconfig names'],
    ['a server missing', {}, { server: '' }, 'failed to use cluster "c": it has no server'],
    [
      'insecure with an authority',
      {},
      { 'certificate-authority-data': 'QQ==', 'insecure-skip-tls-verify': true },
      'exclude each other',
    ],
    [
      'an unknown exec version',
      { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'x' } },
      {},
      'supported are client.authentication.k8s.io/v1 and',
    ],
    [
      'an exec plugin that needs a terminal',
      { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Always' } },
      {},
      'a service has none',
    ],
  ])('with %s is refused with the reason', async (_, user, cluster, message) => {
    const error = await load(user, cluster).catch((cause: unknown) => cause)
    expect(failureOf(error)).toMatchObject({ code: 'KubeConfigInvalid', whoseMove: 'operator', retryable: false })
    expect(String(error)).toContain(message)
  })

  test('that is no YAML is refused without quoting it', async () => {
    const error = await loadKubeConfig({ path: await file('config', `users:\n- token: [${SENTINEL}\nx: }`) }).catch(
      (cause: unknown) => cause,
    )
    expect(String(error)).toMatch(/failed to parse kubeconfig .*: not YAML at line \d/)
    expectNoSentinel(failureOf(error).message)
  })

  test('that does not exist is named', async () => {
    await expect(loadKubeConfig({ path: join(dir, 'nope') })).rejects.toThrow(
      `failed to read kubeconfig ${join(dir, 'nope')}: no such file`,
    )
    await expect(loadKubeConfig()).rejects.toThrow('KUBECONFIG is not set')
  })
})

describe('an exec plugin', () => {
  /** A plugin that numbers its runs and reports what it was told. */
  const plugin = async (expiresInMs: number): Promise<string> => {
    const path = await file(
      'plugin.sh',
      `#!/bin/sh
echo run >> "$RUNS"
n=$(wc -l < "$RUNS" | tr -d ' ')
echo "$KUBERNETES_EXEC_INFO" > "$RUNS.info"
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t'$n'","expirationTimestamp":"${new Date(expiresInMs).toISOString()}"}}'
`,
    )
    await chmod(path, 0o755)
    return path
  }
  const exec = (command: string, more: object = {}) => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command,
      env: [{ name: 'RUNS', value: join(dir, 'runs') }],
      ...more,
    },
  })

  test('is asked once until what it gave expires', async () => {
    const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'))
    await plugin(clock.now() + 60_000)
    const path = await file('config', kubeconfig(exec('./plugin.sh')))
    const { credentials } = await loadKubeConfig({ path, env: { PATH: '/usr/bin:/bin' }, clock })
    const both = await Promise.all([credentials.current(), credentials.current()])
    expect(both).toEqual([{ authorization: 'Bearer t1' }, { authorization: 'Bearer t1' }])
    await clock.advance(49_000)
    expect(await credentials.current()).toEqual({ authorization: 'Bearer t1' })
    await clock.advance(2_000)
    expect(await credentials.current()).toEqual({ authorization: 'Bearer t2' })
  })

  test('is asked again when the server refuses its token', async () => {
    const command = await plugin(Date.now() + 3_600_000)
    const { credentials } = await load(exec(command))
    await using server = await loopback(
      (request, response) => json(response, request.headers.authorization === 'Bearer t2' ? 200 : 401, {}),
      {},
      { credentials },
    )
    expect((await server.transport.send({ method: 'GET', path: '/version' })).status).toBe(200)
  })

  test('learns about the cluster when it asks to', async () => {
    const command = await plugin(Date.now() + 3_600_000)
    const cluster = { extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'me' } }] }
    await (await load(exec(command, { provideClusterInfo: true }), cluster)).credentials.current()
    expect(JSON.parse(await readFile(join(dir, 'runs.info'), 'utf8'))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://127.0.0.1:6443', config: { audience: 'me' } } },
    })
  })

  test('that is not installed is named, with the hint how to get it', async () => {
    const config = await load(exec('no-such-plugin', { installHint: 'Install it from your package manager.' }))
    await expect(config.credentials.current()).rejects.toThrow(
      'failed to run exec plugin no-such-plugin: it is not installed\nInstall it from your package manager.',
    )
  })

  test.each([
    ['fails', 'echo "no session" >&2; exit 3', 'exit code 3: no session'],
    ['prints no JSON', 'echo hello', 'its output is not JSON'],
    [
      'answers in another version',
      `echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential"}'`,
      'instead of client.authentication.k8s.io/v1 ExecCredential',
    ],
    [
      'gives nothing',
      `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{}}'`,
      'status has neither token nor clientCertificateData',
    ],
  ])('that %s is refused with the reason', async (_, script, message) => {
    const config = await load(exec('/bin/sh', { args: ['-c', script] }))
    await expect(config.credentials.current()).rejects.toThrow(message)
  })
})

describe('on a real API server', () => {
  const REVIEW = {
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  } as const

  const whoAmI = async (config: KubeConfig): Promise<unknown> => {
    const transport = httpTransport(config)
    const response = await transport.send(REVIEW)
    await transport.close()
    return (response.body as { status: { userInfo?: { username: string } } }).status.userInfo?.username
  }

  test('the service account of a pod is recognised, and a rotated token is used at once', async () => {
    const real = await testConfig()
    const { hostname, port } = new URL(real.server)
    await using client = await testClient()
    await using namespace = await freshNamespace(client)
    const robot = { namespace: namespace.name, name: 'robot' }
    await client.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: robot })
    const { token } = await client.serviceAccountToken(robot, {})
    await file('ca.crt', real.tls.ca)
    await file('namespace', 'shop\n')
    await file('token', 'not-a-token')
    const config = await inCluster(
      { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      systemClock,
      dir,
    )
    expect(config.namespace).toBe('shop')
    const transport = httpTransport(config)
    expect((await transport.send(REVIEW)).status).toBe(401)
    await file('token', `${token}\n`)
    expect((await transport.send(REVIEW)).body).toMatchObject({
      status: { userInfo: { username: `system:serviceaccount:${namespace.name}:robot` } },
    })
    await transport.close()
  })

  test('a client certificate from an exec plugin opens new connections', async () => {
    const real = await testConfig()
    const { certificate = '', key = '' } = await real.credentials.current()
    const output = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      kind: 'ExecCredential',
      status: { clientCertificateData: certificate, clientKeyData: key },
    }
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: '/bin/cat',
      args: [await file('output', JSON.stringify(output))],
    }
    const { credentials } = await load({ exec })
    expect(await whoAmI({ ...real, credentials })).toBe(await whoAmI(real))
  })

  test('as, as-groups and as-user-extra make every request impersonate that user', async () => {
    const { impersonate } = await load({
      as: 'ada',
      'as-groups': ['writers'],
      'as-user-extra': { 'example.com/why': ['testing'] },
    })
    const transport = httpTransport({ ...(await testConfig()), impersonate: impersonate! })
    expect((await transport.send(REVIEW)).body).toMatchObject({
      status: {
        userInfo: {
          username: 'ada',
          groups: ['writers', 'system:authenticated'],
          extra: { 'example.com/why': ['testing'] },
        },
      },
    })
    await transport.close()
  })
})
