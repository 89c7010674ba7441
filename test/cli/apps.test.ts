import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { obtainBinaries } from '../../tools/binaries/index.ts'
import { start } from './caelus.ts'
import { installation, type Installation } from './installation.ts'

const CHART = join(import.meta.dirname, '../../charts/status-page')

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
  readonly namespace_name: string
}

const ordered = async ({ json }: Installation): Promise<Row> => {
  const product = await json<Row>('create-product', 'Status page', '--description', 'says how it is')
  const chart = ['--chart', CHART, '--chart-version', '0.1.0']
  await json('create-template', '--product', product.id, ...chart, '--health-timeout', '2m', '--canonical')
  const name = `status-${Date.now().toString(36)}.example.test`
  return await json<Row>('create-deployment', '--product', product.id, '--domain', name)
}

test(
  'an app is published, ordered, reconciled by hand, changed, explained and deleted',
  { timeout: 240_000 },
  async () => {
    await using place = await appsInstallation()
    const { run, json } = place
    const { id, status } = await ordered(place)
    expect(status).toBe('pending')

    expect(await json('run-worker-once')).toEqual({ reconciled: expect.any(Number) })
    expect((await run('list-deployments')).out).toMatch(/^ID +NAME +PRODUCT +DOMAIN +STATUS .*\n.*Status page.* ready /)
    expect((await run('explain', id)).out).toMatch(/everything in it is healthy.*\nnext +nothing/)
    expect((await run('list-resources', id)).out).toMatch(/Ingress\/\S+ +ready/)

    const preview = await run('preview', id, '--domain', 'moved.example.test')
    expect(preview.out).toMatch(/~ \/ingress\/host: .* -> "moved.example.test"[\s\S]*~ Ingress\//)
    const changed = await json('update-deployment', id, '--domain', `moved-${id}.example.test`)
    expect(changed).toMatchObject({ generation: 2, observed_generation: 1 })
    expect(await json('reconcile', id)).toMatchObject({ reconciled: true, status: 'ready', failure: null })
    const timeline = await json<{ what: string }[]>('timeline', id)
    expect(timeline.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['created', 'install', 'changed', 'upgrade']),
    )

    const job = await json<{ id: string }>('enqueue-reconcile', id, '--reason', 'drift')
    expect((await run('list-reconcile-jobs', '--status', 'queued')).out).toContain(' drift ')
    expect(await json('fail-job', job.id, '--error', 'not today')).toMatchObject({ status: 'failed' })
    expect(await json('requeue-job', job.id)).toMatchObject({ status: 'queued' })
    expect(await json('scan-drift')).toEqual({ enqueued: 1 })
    expect(await json('rotate-values-key')).toEqual({ resealed: 0, unreadable: [] })

    expect(await run('delete-deployment', id)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^deleting status-page/),
    })
    await json('run-worker-once')
    expect(['deleting', 'deleted']).toContain((await json<Row>('get-deployment', id)).status)
  },
)

test('a worker converges while a command waits, and stops when told', { timeout: 240_000 }, async () => {
  await using place = await appsInstallation()
  const { run, json } = place
  const order = await ordered(place)
  const me = await json<{ id: string }[]>('list-users')
  await run('freeze-tenant', me[0]?.id ?? '', '--why', 'the test says so')
  expect(await json('run-worker-once')).toEqual({ reconciled: 0 })
  expect((await json<Row>('get-deployment', order.id)).status).toBe('pending')
  await run('unfreeze-tenant', me[0]?.id ?? '')

  await using worker = start(['run-worker-loop', '--concurrency', '2', '--poll-seconds', '1'], place.env)
  const changed = await run('update-deployment', order.id, '--domain', `w-${order.id}.example.test`, '--wait')
  expect([changed.code, changed.err]).toEqual([0, expect.stringMatching(/: (pending|provisioning)\n[\s\S]*: ready\n$/)])
  const gone = await run('delete-deployment', order.id, '--wait', '--timeout', '2m')
  expect(gone).toMatchObject({ code: 0, out: expect.stringMatching(/^deleted status-page/) })
  const [, probes = ''] = await worker.says(/"probes":"(http:[^"]+)"/)
  expect((await fetch(`${probes}/healthz`)).status).toBe(200)
  expect(await (await fetch(`${probes}/readyz`)).json()).toMatchObject({
    status: 'ok',
    checks: [
      { name: 'database', ok: true, required: true },
      { name: 'kubernetes', ok: true, required: false },
    ],
  })
  const metrics = await (await fetch(`${probes}/metrics`)).text()
  expect(metrics).toMatch(/caelus_reconcile_total\{controller="apps",outcome="settled",code=""\} [1-9]/)
  expect(metrics).toMatch(/caelus_apps_steps_total\{step="uninstall",outcome="done",code=""\} 1/)
  expect(metrics).toMatch(/caelus_watch_happenings_total\{resource="[a-z]+",happening="connected"\} [1-9]/)
  worker.child.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
})

test('what is refused is told by field, and values come from one place only', { timeout: 120_000 }, async () => {
  await using place = await appsInstallation()
  const { run, dir } = place
  const { id } = await ordered(place)
  const both = await run('update-deployment', id, '--values-json', '{}', '--values-file', 'x')
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('cannot be used with') })
  const broken = join(dir, 'values.yaml')
  await writeFile(broken, 'a: [s3ntinel')
  expect(await run('update-deployment', id, '--values-file', broken)).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /^error: InputUnreadable: failed to read --values-file: it is not valid YAML\n(?!.*s3ntinel)/,
    ),
  })
  const refused = await run('update-deployment', id, '--values-json', '{"nothing":1}', '--domain', 'no spaces')
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /^error: InvalidRequest.*\n {2}domainname: .*\n {2}\/user\/nothing: .*\nwhose move: yours\n/,
    ),
  })
  expect(await run('get-deployment', '00000000-0000-4000-8000-000000000000')).toMatchObject({
    code: 1,
    err: expect.stringContaining('NotFound'),
  })
})
