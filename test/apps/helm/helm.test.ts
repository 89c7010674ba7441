import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { failureOf } from '../../../src/kernel/index.ts'
import { helmCli, type Chart, type Rollout } from '../../../src/domains/apps/helm/index.ts'
import {
  Deployment,
  Ingress,
  Job,
  PersistentVolumeClaim,
  ResourceQuota,
  Secret,
  Service,
} from '../../../src/kube/index.ts'
import { seen } from '../../support/kube.ts'
import { layVolume } from '../../support/volume.ts'
import { helmProcess, helmWorld, ROOT, writeChart, type Seen } from './world.ts'

const rolloutOf = (chart: Chart, over: Partial<Rollout> = {}): Rollout => ({
  chart,
  values: {},
  digest: '0123456789abcdef'.repeat(4),
  timeoutMs: 30_000,
  handOver: [],
  ...over,
})

describe('our own charts, installed', () => {
  it('hello-static becomes four objects, with the message on its page and the host in its ingress', async () => {
    await using world = await helmWorld()
    const { charts, helm, releases, client, namespace } = world
    await using _ = await layVolume(client, { namespace, name: 'hello-static-data' })
    const chart = await charts.fetch({ ref: join(ROOT, 'charts/hello-static'), version: '0.1.0', digest: null })
    const target = { namespace, release: 'hello-static' }
    const message = `"quoted" 'too'\n{{ .Values }} <b>bold</b> & $(PAGE) $$`
    await helm.install(target, rolloutOf(chart, { values: { user: { message }, ingress: { host: 'a.example.com' } } }))

    const at = { namespace, name: 'hello-static' }
    // Helm does not wait for it.
    const deployment = await seen(client, Deployment, at, ({ status }) => status?.readyReplicas === 1)
    expect(await client.get(Service, at)).toBeDefined()
    expect((await client.get(Ingress, at))?.spec?.rules?.[0]?.host).toBe('a.example.com')
    expect((await client.get(PersistentVolumeClaim, { namespace, name: 'hello-static-data' }))?.status?.phase).toBe(
      'Bound',
    )
    const record = await releases.newest(target)
    expect(record).toMatchObject({ status: 'deployed', digest: '0123456789abcdef'.repeat(4) })
    expect(record?.objects).toHaveLength(4)
    const [page] = deployment.spec?.template.spec?.initContainers?.[0]?.env ?? []
    expect(page?.value).toContain(
      '<h1>&#34;quoted&#34; &#39;too&#39;\n{{ .Values }} &lt;b&gt;bold&lt;/b&gt; &amp; $$(PAGE) $$$$</h1>',
    )
  })

  it('ledger runs its job before, keeps its password in a Secret, and the job is no object of the release', async () => {
    await using world = await helmWorld()
    const { charts, helm, releases, client, namespace } = world
    await using _ = await layVolume(client, { namespace, name: 'ledger-data' })
    const chart = await charts.fetch({ ref: join(ROOT, 'charts/ledger'), version: '0.1.0', digest: null })
    const target = { namespace, release: 'ledger' }
    await helm.install(target, rolloutOf(chart, { values: { user: { password: 'correct horse battery' } } }))
    const kinds = (await releases.newest(target))?.objects.map(({ kind }) => kind).toSorted()
    expect(kinds).toEqual(['PersistentVolumeClaim', 'Secret', 'Service', 'StatefulSet'])
    expect(await client.list(Job, { namespace })).toEqual([])
    expect((await client.get(Secret, { namespace, name: 'ledger' }))?.data).toEqual({
      password: Buffer.from('correct horse battery').toString('base64'),
    })
  })
})

async function running(namespace: string): Promise<Seen> {
  let found: Seen | undefined
  await expect.poll(async () => (found = await helmProcess(namespace)), { interval: 5 }).toBeDefined()
  if (found === undefined) throw new Error('expected helm to be running')
  return found
}

async function textsBelow(dir: string): Promise<string> {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))).join()
}

describe('what Helm says when it fails', () => {
  it('ReleaseTooLarge: the record does not fit into a Secret', async () => {
    await using world = await helmWorld()
    const { charts, helm, namespace, tempDir } = world
    const ref = await writeChart(tempDir, { 'page.yaml': page })
    await writeFile(join(ref, 'ballast.txt'), randomBytes(1_200_000).toString('base64'))
    const chart = await charts.fetch({ ref, version: '1.0.0', digest: null })
    await expect(helm.install({ namespace, release: 'odd' }, rolloutOf(chart))).rejects.toMatchObject({
      failure: { code: 'ReleaseTooLarge', message: expect.stringContaining('1048576') },
    })
  })

  const STALE = `secrets "x" is forbidden: ValidatingAdmissionPolicy 'caelus-fence' with binding 'caelus-fence' denied request: stale fence`
  it.each([
    'Error: stale fence',
    STALE,
    'x\nError: Kubernetes cluster unreachable',
    ': Kubernetes cluster unreachable: connection refused',
    `/v1, Kind=ConfigMap: ${STALE}`,
    'pods "x" is forbidden: exceeded quota: q',
  ])('a value %j decides nothing', async (value) => {
    await using world = await helmWorld()
    const { charts, helm, namespace, tempDir } = world
    const install = async (template: string): Promise<unknown> => {
      const ref = await writeChart(tempDir, { 'page.yaml': template })
      const chart = await charts.fetch({ ref, version: '1.0.0', digest: null })
      const error: unknown = await helm
        .install({ namespace, release: 'odd' }, rolloutOf(chart, { values: { text: value } }))
        .catch((e: unknown) => e)
      await helm.uninstall({ namespace, release: 'odd' }, { hooks: false, timeoutMs: 10_000 })
      return failureOf(error).code
    }
    const given = '{{ .Values.text | toJson }}'
    expect(await install(page.replace('odd}', `odd, labels: { a: ${given} }}`))).toBe(
      value.includes(', Kind=') ? 'HelmFailed' : 'ObjectInvalid',
    )
    expect(await install('{{ fail .Values.text }}')).toBe('ChartInvalid')
    const named = await install(`apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${given} }\n`)
    expect(['ObjectInvalid', 'HelmFailed', 'ChartInvalid']).toContain(named)
    const keyed = await install(`apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { ${given}: x }\n`)
    expect(['ObjectInvalid', 'HelmFailed', 'ChartInvalid']).toContain(keyed)
  })
})

const page = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\n'

describe('what a tenant keeps secret', () => {
  const values = { user: { password: 'correct horse, battery staple' } }

  it('is in no argument, no variable and no file while Helm runs', async () => {
    await using world = await helmWorld()
    const { charts, helm, client, namespace, tempDir } = world
    const ref = await writeChart(tempDir, { 'job.yaml': stuckJob('pre-install') })
    const chart = await charts.fetch({ ref, version: '1.0.0', digest: null })
    const stop = new AbortController()
    const handOver = [{ object: 'ConfigMap/odd', path: 'data', owner: 'other' }]
    const install = helm.install({ namespace, release: 'odd' }, rolloutOf(chart, { values, handOver }), stop.signal)
    const ended = expect(install).rejects.toThrow('seen enough')
    const { pid, commandLine } = await running(namespace)
    // It has read everything by then, and its files come and go no more.
    await expect.poll(() => client.list(Job, { namespace })).toHaveLength(1)
    expect(commandLine).toContain('install')
    expect(commandLine.join(' ')).not.toContain('battery')
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('battery')
    expect(await textsBelow(tempDir)).not.toContain('battery')
    stop.abort(new Error('seen enough'))
    await ended
    expect((await readdir(tempDir)).filter((name) => name.startsWith('caelus-helm-'))).toEqual([])
  })

  it('is hidden where the API server repeats it', async () => {
    await using world = await helmWorld()
    const { charts, helm, namespace, tempDir } = world
    const labelled =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: odd\n  labels: { a: {{ .Values.user.password | quote }} }\n'
    const ref = await writeChart(tempDir, { 'odd.yaml': labelled })
    const chart = await charts.fetch({ ref, version: '1.0.0', digest: null })
    const error = await helm
      .install({ namespace, release: 'odd' }, rolloutOf(chart, { values }))
      .catch((e: unknown) => e)
    expect(error).toMatchObject({
      failure: { code: 'ObjectInvalid', message: expect.stringContaining('(write-only)') },
    })
    expect(inspect(error)).not.toContain('battery')
  })
})

describe('each way to fail has its code', () => {
  const fails = (code: string) => ({ failure: { code } })

  it('QuotaExceeded, when the namespace has no room for a claim', async () => {
    await using world = await helmWorld()
    const { charts, helm, client, namespace } = world
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { namespace, name: 'none' } } as const
    await client.create(ResourceQuota, { ...quota, spec: { hard: { persistentvolumeclaims: '0' } } })
    await expect
      .poll(async () => (await client.get(ResourceQuota, { namespace, name: 'none' }))?.status?.hard, {
        timeout: 20_000,
      })
      .toBeDefined()
    const chart = await charts.fetch({ ref: join(ROOT, 'charts/hello-static'), version: '0.1.0', digest: null })
    await expect(helm.install({ namespace, release: 'hello-static' }, rolloutOf(chart))).rejects.toMatchObject(
      fails('QuotaExceeded'),
    )
  })

  it('HookFailed, when the job before it does not end', async () => {
    await using world = await helmWorld()
    const { charts, helm, namespace, tempDir } = world
    const ref = await writeChart(tempDir, { 'job.yaml': stuckJob('pre-install') })
    const chart = await charts.fetch({ ref, version: '1.0.0', digest: null })
    const install = helm.install({ namespace, release: 'odd' }, rolloutOf(chart, { timeoutMs: 2_000 }))
    await expect(install).rejects.toMatchObject(fails('HookFailed'))
  })

  it('ChartInvalid and KindUnknown, also when it is only rendered', async () => {
    await using world = await helmWorld()
    const { charts, helm, namespace, tempDir } = world
    const target = { namespace, release: 'odd' }
    const broken = await writeChart(tempDir, { 'a.yaml': 'a: {{ .Values.a.b.c }}\n' })
    const foreign = await writeChart(tempDir, {
      'a.yaml': 'apiVersion: odd.io/v1\nkind: Odd\nmetadata: { name: odd }\n',
    })
    for (const [ref, code] of [
      [broken, 'ChartInvalid'],
      [foreign, 'KindUnknown'],
    ] as const) {
      const chart = await charts.fetch({ ref, version: '1.0.0', digest: null })
      await expect(helm.render(target, chart, {})).rejects.toMatchObject(fails(code))
      await expect(helm.install(target, rolloutOf(chart))).rejects.toMatchObject(fails(code))
    }
  })

  it('ObjectInvalid, when a field is none that the server knows', async () => {
    await using world = await helmWorld()
    const { charts, helm, namespace, tempDir } = world
    const odd =
      'apiVersion: v1\nkind: Service\nmetadata: { name: odd }\nspec: { ports: [{ port: 80 }], nonsense: true }\n'
    const chart = await charts.fetch({
      ref: await writeChart(tempDir, { 'a.yaml': odd }),
      version: '1.0.0',
      digest: null,
    })
    await expect(helm.install({ namespace, release: 'odd' }, rolloutOf(chart))).rejects.toMatchObject(
      fails('ObjectInvalid'),
    )
  })

  it('ControlPlaneUnreachable, when nobody answers', async () => {
    await using world = await helmWorld()
    const { charts, tempDir, namespace } = world
    const kubeconfig = join(tempDir, 'kubeconfig')
    const text = await readFile(inject('kubeconfig'), 'utf8')
    await writeFile(kubeconfig, text.replace(/https:\/\/127\.0\.0\.1:\d+/, 'https://127.0.0.1:1'), { mode: 0o600 })
    const helm = helmCli({ binary: world.binary, kubeconfig, kinds: NO_KINDS, home: join(tempDir, 'home') })
    const chart = await charts.fetch({ ref: join(ROOT, 'charts/status-page'), version: '0.1.0', digest: null })
    await expect(helm.install({ namespace, release: 'x' }, rolloutOf(chart))).rejects.toMatchObject(
      fails('ControlPlaneUnreachable'),
    )
  })

  it('HelmFailed, when there is no helm, or one that is too old', async () => {
    await using world = await helmWorld()
    const { tempDir, namespace } = world
    const old = join(tempDir, 'old-helm')
    await writeFile(old, '#!/bin/sh\necho v3.9.0+g7ceeda6\n', { mode: 0o755 })
    for (const [binary, why] of [
      [join(tempDir, 'absent'), /failed to start helm/],
      [old, /v3\.9\.0.*needed is Helm 4/],
    ] as const) {
      const helm = helmCli({ binary, kubeconfig: inject('kubeconfig'), kinds: NO_KINDS, home: join(tempDir, 'home') })
      await expect(helm.uninstall({ namespace, release: 'x' }, { hooks: true, timeoutMs: 1_000 })).rejects.toThrow(why)
    }
  })
})

describe('a Helm that does not listen', () => {
  it('is ended by force with everything that it started', async () => {
    await using world = await helmWorld()
    const { tempDir, namespace } = world
    const deaf = join(tempDir, 'deaf-helm')
    const pids = join(tempDir, 'pids')
    const script = `#!/bin/sh\n[ "$1" = version ] && echo v4.3.1 && exit\ntrap '' TERM\nsleep 600 & echo $$ $! > ${pids}\nwait\n`
    await writeFile(deaf, script, { mode: 0o755 })
    const helm = helmCli({
      binary: deaf,
      kubeconfig: inject('kubeconfig'),
      kinds: NO_KINDS,
      home: join(tempDir, 'home'),
      env: { PATH: '/usr/bin:/bin' },
      graceMs: 100,
    })
    const stop = new AbortController()
    const call = helm.uninstall({ namespace, release: 'x' }, { hooks: true, timeoutMs: 60_000 }, stop.signal)
    const ended = expect(call).rejects.toThrow('stop')
    await expect.poll(() => readFile(pids, 'utf8').catch(() => '')).toMatch(/\d+ \d+\n/)
    stop.abort(new Error('stop'))
    await ended
    for (const pid of (await readFile(pids, 'utf8')).trim().split(' ')) {
      await expect.poll(() => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).toBe('')
    }
  })
})

describe('an uninstall that was killed', () => {
  it('is taken up again without its hooks', async () => {
    await using world = await helmWorld()
    const { charts, helm, releases, namespace, tempDir } = world
    const ref = await writeChart(tempDir, {
      'job.yaml': stuckJob('pre-delete'),
      'map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: odd }\n',
    })
    const chart = await charts.fetch({ ref, version: '1.0.0', digest: null })
    const target = { namespace, release: 'odd' }
    await helm.install(target, rolloutOf(chart))
    const over = helm.uninstall(target, { hooks: true, timeoutMs: 60_000 }).catch(() => {})
    await expect.poll(async () => (await releases.newest(target))?.status, { timeout: 20_000 }).toBe('uninstalling')
    process.kill((await running(namespace)).pid, 'SIGKILL')
    await over
    await releases.markFailed(target, 1)
    expect(await releases.newest(target)).toMatchObject({ status: 'failed', revision: 1 })
    expect(await helm.uninstall(target, { hooks: false, timeoutMs: 30_000 })).toBe(true)
    expect(await releases.newest(target)).toBeUndefined()
  })
})

const NO_KINDS = { resourceFor: async () => undefined }

const stuckJob = (hook: string): string => `apiVersion: batch/v1
kind: Job
metadata:
  name: stuck
  annotations: { helm.sh/hook: ${hook} }
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: { nowhere: "true" }
      containers: [{ name: stuck, image: stuck }]
`
