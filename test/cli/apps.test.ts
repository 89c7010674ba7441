import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { obtainBinaries } from '../../tools/binaries/index.ts'
import { signingKey } from '../support/open-pgp.ts'
import { expectNoSentinel, SENTINEL } from '../support/sentinel.ts'
import { caelus, printed, start } from './caelus.ts'
import { installation, type Installation } from './installation.ts'

const PUBLISHED = ['--chart', join(import.meta.dirname, '../../charts/status-page'), '--chart-version', '0.1.0']

/** An installation that may order apps from charts on this machine. */
async function appsInstallation(): Promise<Installation> {
  const { helm } = await obtainBinaries(['helm'])
  return await installation({
    CAELUS_LOCAL_CHARTS: 'true',
    CAELUS_VALUES_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    HELM_BIN: helm,
  })
}

interface Row {
  readonly id: string
  readonly status: string
  readonly deployment_uid: string
  readonly domainname: string
}

const ordered = async ({ json }: Installation): Promise<Row> => {
  await json('create-product', 'Status page', '--description', 'says how it is')
  await json('create-template', '--product', 'Status page', ...PUBLISHED, '--health-timeout', '2m', '--canonical')
  const name = `status-${Date.now().toString(36)}.example.test`
  return await json<Row>('create-deployment', '--product', 'Status page', '--domain', name)
}

test(
  'an app is published, ordered, reconciled by hand, changed, explained and deleted',
  { timeout: 300_000 },
  async () => {
    await using place = await appsInstallation()
    const { run, json } = place
    const { id, status, domainname, deployment_uid } = await ordered(place)
    expect(status).toBe('pending')

    // A run does not wait until what it installed is healthy; the next one sees it.
    await vi.waitFor(
      async () => {
        expect(await json('run-worker-once')).toEqual({ reconciled: expect.any(Number) })
        expect(await run('list-deployments')).toMatch(/^ID +NAME +PRODUCT +DOMAIN +STATUS .*\n.*Status page.* ready /)
      },
      { timeout: 60_000, interval: 500 },
    )
    expect(await run('explain', domainname)).toMatch(/everything in it is healthy.*\nnext +nothing/)
    expect(await run('list-resources', deployment_uid)).toMatch(/Ingress\/\S+ +ready/)
    expect(await json('get-notes', deployment_uid)).toEqual({ revision: 1, notes: null })
    expect(await run('get-notes', deployment_uid)).toBe('there are none\n')
    expect(await run('get-manifest', deployment_uid)).toMatch(
      /^# The manifest of revision 1 .*\n---\n[\s\S]*kind: Ingress/,
    )
    const objects = await json<{ kind: string }[]>('get-manifest', deployment_uid)
    expect(objects.map(({ kind }) => kind)).toContain('Ingress')
    expect(await json('get-values', deployment_uid)).toMatchObject({ ingress: { host: domainname } })

    const preview = await run('preview', id, '--domain', 'moved.example.test')
    expect(preview).toMatch(/~ ingress\.host: .* -> "moved.example.test"[\s\S]*~ Ingress\//)
    const changed = await json('update-deployment', id, '--domain', `moved-${id}.example.test`)
    expect(changed).toMatchObject({ generation: 2, observed_generation: 1 })
    expect(await json('reconcile', deployment_uid)).toMatchObject({ reconciled: true, status: 'ready', failure: null })
    expect(await run('list-revisions', deployment_uid)).toMatch(
      /^GENERATION .*\n2 .* domainname +ready +- +2\n1 .* ready +- +1\n$/,
    )
    const back = ['rollback-deployment', deployment_uid, '--to-generation', '1']
    expect(await run(...back)).toMatch(/generation +2\n/)
    expect(await run(...back, '--with-domain', '--dry-run')).toMatch(/~ ingress\.host: "moved-.*" -> "status-/)
    expect(await json(...back, '--with-domain')).toMatchObject({ generation: 3, domainname })
    expect(await json('reconcile', deployment_uid)).toMatchObject({ reconciled: true, status: 'ready' })
    const timeline = await json<{ what: string }[]>('timeline', deployment_uid)
    expect(timeline.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['created', 'install', 'changed', 'upgrade']),
    )

    // The server runs no worker: these are the decisions of other processes.
    const decisions = await json<{ id: string; outcome: string }[]>(
      'list-decisions',
      '--controller',
      'apps',
      '--id',
      id,
    )
    expect(decisions.length).toBeGreaterThan(2)
    expect(decisions[0]).toMatchObject({ kind: 'Deployment', object_id: id, outcome: 'settled' })
    for (const decision of decisions) expect(await run('replay-decision', decision.id)).toContain('again')

    const job = await json<{ id: string }>('enqueue-reconcile', deployment_uid, '--reason', 'drift')
    expect(await run('list-reconcile-jobs', '--status', 'queued', '--deployment', deployment_uid)).toContain(' drift ')
    expect(await json('fail-job', job.id, '--error', 'not today')).toMatchObject({ status: 'failed' })
    expect(await json('requeue-job', job.id)).toMatchObject({ status: 'queued' })
    expect(await json('scan-drift')).toEqual({ enqueued: 1 })
    expect(await json('rotate-values-key')).toEqual({ resealed: 0, unreadable: [] })

    expect(await run('delete-deployment', id)).toMatch(/^deleting status-page/)
    await json('run-worker-once')
    expect(['deleting', 'deleted']).toContain((await json<Row>('get-deployment', id)).status)
  },
)

test('a worker converges while a command waits, and stops when told', { timeout: 300_000 }, async () => {
  await using place = await appsInstallation()
  const { run, json } = place
  const order = await ordered(place)
  expect(await run('freeze-tenant', 'ada@example.test', '--why', 'the test says so')).toBe('froze ada@example.test\n')
  expect(await json('run-worker-once')).toEqual({ reconciled: 0 })
  expect((await json<Row>('get-deployment', order.id)).status).toBe('pending')
  await run('unfreeze-tenant', 'Ada@example.test')

  // It waits already when the worker begins, so that it sees all of the way.
  const change = ['update-deployment', order.id, '--domain', `w-${order.id}.example.test`, '--wait']
  await using changing = start(change, place.env)
  await changing.says(/: pending\n/)
  await using worker = start(['run-worker-loop', '--concurrency', '2', '--poll-seconds', '1'], place.workerEnv)
  const { code, err } = await changing.ended
  expect([code, err]).toEqual([0, expect.stringMatching(/: pending\n[\s\S]*: ready\n$/)])
  expect(await run('delete-deployment', order.id, '--wait')).toMatch(/^deleted status-page/)
  const [, probes = ''] = await worker.says(/"probes":"(http:[^"]+)"/)
  expect((await fetch(`${probes}/healthz`)).status).toBe(200)
  await expect
    .poll(async () => (await fetch(`${probes}/readyz`)).json())
    .toMatchObject({
      status: 'ok',
      checks: [
        { name: 'database', ok: true, required: true },
        { name: 'kubernetes', ok: true, required: false },
      ],
    })
  // What became of a run is counted after it is written.
  const metrics = async (): Promise<string> => (await fetch(`${probes}/metrics`)).text()
  await expect.poll(metrics).toMatch(/caelus_reconcile_total\{controller="apps",outcome="settled",code=""\} [1-9]/)
  await expect.poll(metrics).toMatch(/caelus_apps_steps_total\{step="uninstall",outcome="done",code=""\} 1/)
  await expect.poll(metrics).toMatch(/caelus_watch_happenings_total\{resource="[a-z]+",happening="connected"\} [1-9]/)
  worker.child.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
})

test('people say what they see, and are told what they may have meant', { timeout: 300_000 }, async () => {
  await using place = await appsInstallation()
  const { run, json, tried, env } = place
  const { id, domainname, deployment_uid } = await ordered(place)
  for (const name of [id, deployment_uid, domainname]) {
    expect(await json('get-deployment', name)).toMatchObject({ id })
  }
  const refusal = async (...args: string[]): Promise<string> => {
    const { code, err } = await tried(...args)
    expect([args, code, err]).toEqual([args, 1, expect.any(String)])
    return err
  }
  expect(await refusal('explain', 'nope')).toBe(
    'error: NoSuchDeployment: there is no deployment called "nope"\naction required: you\n' +
      'next step: Name it as `caelus list-deployments` shows it; with --all it shows those of all users to admins.\n',
  )
  expect(await refusal('explain', domainname.replace('example', 'exmaple'))).toContain(`did you mean "${domainname}"?`)
  expect(await refusal('get-product', 'Statuspage')).toContain('did you mean "Status page"?')
  expect(await refusal('get-user', 'eda@example.test')).toContain('did you mean "ada@example.test"?')

  const relaxed = ['--label', 'Relaxed', '--health-timeout', '9m']
  const template = await json<Row>('create-template', '--product', 'status PAGE', ...PUBLISHED, ...relaxed)
  expect(await refusal('get-template', 'Status page', '0.1.0')).toMatch(
    /^error: NameAmbiguous: 2 templates are called "0.1.0": [0-9a-f-]{36}, [0-9a-f-]{36}\n/,
  )
  expect(await json('get-template', 'Status page', 'relaxed')).toMatchObject({ id: template.id })
  expect(await json('update-product', 'Status page', '--template', 'relaxed')).toMatchObject({
    template_id: template.id,
  })
  expect(await refusal('create-deployment', '--template', 'relaxed', '--domain', 'a.example.test')).toContain(
    'say with --product of which product it is',
  )

  await json('create-user', 'bob@example.test')
  const order = ['--product', 'Status page', '--template', 'relaxed', '--user', 'bob@example.test']
  expect(await json('create-deployment', ...order, '--domain', 'bob.example.test')).toMatchObject({
    user_email: 'bob@example.test',
    desired_template_id: template.id,
  })
  expect(await run('list-deployments', '--user', 'bob@example.test')).toContain('bob.example.test')
  const behind = await run('list-deployments', '--all', '--behind')
  expect(behind.split('\n').filter(Boolean)).toEqual([
    expect.stringMatching(/ UPGRADE$/),
    expect.stringMatching(new RegExp(`${domainname} .* Relaxed$`)),
  ])
  const { secret } = await json<{ secret: string }>('create-token', 'as a member')
  const asMember = { ...env, CAELUS_TOKEN: secret }
  await printed(['explain', deployment_uid], asMember)
  expect((await caelus(['explain', 'bob.example.test'], asMember)).err).toMatch(/^error: NoSuchDeployment: /)
  await run('delete-deployment', 'bob.example.test')
})

test('what is refused is told by field, and values come from one place only', { timeout: 240_000 }, async () => {
  await using place = await appsInstallation()
  const { tried, dir } = place
  const { id } = await ordered(place)
  const both = await tried('update-deployment', id, '--values-json', '{}', '--values-file', 'x')
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('cannot be used with') })
  const broken = join(dir, 'values.yaml')
  await writeFile(broken, `a: [${SENTINEL}`)
  const unreadable = await tried('update-deployment', id, '--values-file', broken)
  expect(unreadable.code).toBe(1)
  expect(unreadable.err).toMatch(/^error: InputUnreadable: failed to read --values-file: it is not valid YAML\n/)
  expectNoSentinel(unreadable.err)
  const refused = await tried('update-deployment', id, '--values-json', '{"nothing":1}', '--domain', 'no spaces')
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /^error: InvalidRequest.*\n {2}domainname: .*\n {2}\/user\/nothing: .*\naction required: you\n/,
    ),
  })
  expect(await tried('get-deployment', '00000000-0000-4000-8000-000000000000')).toMatchObject({
    code: 1,
    err: expect.stringContaining('NotFound'),
  })
})

const WIDE = {
  'Chart.yaml': 'apiVersion: v2\nname: wide\nversion: 1.0.0\n',
  'values.yaml': 'rbac: { create: true }\n',
  'templates/web.yaml': `{{ if .Values.rbac.create }}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: {{ .Release.Name }}-reader }
rules: []
---
{{ end }}
apiVersion: v1
kind: ConfigMap
metadata: { name: web }
data: { host: {{ .Values.serverName }} }
`,
}

test(
  'what cannot be created is told when it is published, and refused when it is ordered',
  { timeout: 300_000 },
  async () => {
    await using place = await appsInstallation()
    const { run, json, tried, dir } = place
    for (const [name, text] of Object.entries(WIDE)) {
      await mkdir(join(dir, 'wide', dirname(name)), { recursive: true })
      await writeFile(join(dir, 'wide', name), text)
    }
    const chart = join(dir, 'wide')
    await json('create-product', 'Wide')
    // The server may still be connecting.
    await expect
      .poll(async () => (await json<{ inspection: object | null }>('inspect-chart', chart, '1.0.0')).inspection, {
        timeout: 60_000,
      })
      .not.toBeNull()
    const told = await run('inspect-chart', chart, '1.0.0')
    expect(told).toMatch(/^domain at +-$/m)
    expect(told).toMatch(/^problem +ObjectRefused +ClusterRole\/sample-order-reader +rbac\.create=false +\S/m)
    expect(told).toMatch(/^warning +DomainNowhere /m)

    const publish = [
      'create-template',
      '--product',
      'Wide',
      '--chart',
      chart,
      '--chart-version',
      '1.0.0',
      '--canonical',
    ]
    const refused = await tried(...publish)
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('TemplateUnusable')])
    expect(refused.err).toContain('objects/ClusterRole/sample-order-reader')
    expect(refused.err).toContain('gone with rbac.create=false')

    await json(...publish, '--label', 'forced', '--force')
    const order = ['create-deployment', '--product', 'Wide', '--domain', 'wide.example.test']
    const attempted = await tried(...order)
    expect([attempted.code, attempted.err]).toEqual([1, expect.stringContaining('TemplateNotOrderable')])
    expect(attempted.err).toContain('ClusterRole/sample-order-reader')

    const object = 'ClusterRole/{release}-reader'
    expect(told).toContain(object)
    const elsewhere = ['create-deployment', '--product', 'Wide', '--domain', 'granted.example.test']
    const mistaken = await tried('grant-template', 'Wide', 'forced', 'ClusterRole/other')
    expect([mistaken.code, mistaken.err]).toEqual([1, expect.stringContaining(`the chart has ${object}`)])
    expect(await run('grant-template', 'Wide', 'forced', object)).toMatch(
      /^ClusterRole\/\{release\}-reader +\d\S+ +-$/m,
    )
    expect(await json(...elsewhere)).toMatchObject({ status: 'pending' })
    expect(await run('revoke-grant', 'Wide', 'forced', object)).toBe(`revoked ${object}\n`)
    expect(await run('list-grants', 'Wide', 'forced')).toMatch(/^ClusterRole\/\{release\}-reader +\d\S+ +\d/m)
    expect((await tried('revoke-grant', 'Wide', 'forced', object)).err).toContain('NoSuchGrant')
    expect((await tried(...order)).err).toContain('TemplateNotOrderable')
    expect(await json('install-crds', 'Wide', 'forced', '--dry-run')).toEqual([])

    const narrow = ['--domain-path', 'serverName', '--values-json', '{"rbac":{"create":false}}']
    expect(await run('inspect-chart', chart, '1.0.0', ...narrow)).toMatch(/^domain at +ConfigMap\/web data\.host$/m)
    const rules = join(dir, 'rules.yaml')
    await writeFile(rules, '- kind: ConfigMap\n  paths: [/data/host]\n- kind: ConfigMp\n  paths: [/data/host]\n')
    const unknown = await tried(...publish, ...narrow, '--drift-ignore-file', rules)
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('drift_ignore/1/kind')])
    expect(unknown.err).toContain('neither the chart nor the control plane has ConfigMp: it has ConfigMap')
    await writeFile(rules, '- kind: ConfigMap\n  paths: [/data/host]\n')
    const template = await json(...publish, '--label', 'narrow', ...narrow, '--drift-ignore-file', rules)
    expect(template).toMatchObject({
      overrides: { rbac: { create: false } },
      layout: { domain_paths: ['/serverName'] },
      drift_ignore: [{ kind: 'ConfigMap', paths: ['/data/host'] }],
      inspection: { findings: [], domain_at: ['ConfigMap/web data.host'] },
    })
    expect(await json(...order)).toMatchObject({ status: 'pending' })

    await writeFile(join(dir, 'password'), `${SENTINEL}\n`)
    const source = ['set-chart-source', 'registry.example.test', '--username', 'puller']
    const set = await run(...source, '--password-file', join(dir, 'password'))
    const listed = await run('list-chart-sources')
    expect(listed).toMatch(/^registry\.example\.test +puller +no +none +- +\d/m)
    const { publicKey, fingerprint } = signingKey('Ada <ada@example.com>')
    await writeFile(join(dir, 'keys.asc'), publicKey)
    await run(...source, '--verification', 'required', '--keyring-file', join(dir, 'keys.asc'))
    const verified = new RegExp(`^registry\\.example\\.test +puller +no +required +${fingerprint.slice(-16)} +\\d`, 'm')
    expect(await run('list-chart-sources')).toMatch(verified)
    expectNoSentinel({ set, listed })
    expect(await run('delete-chart-source', 'registry.example.test')).toBe('deleted registry.example.test\n')
  },
)
