import { expect, test } from 'vitest'
import { COUNT_APPS } from '../../../src/processes/apps/report.ts'
import { rowsReport } from '../../../src/processes/shared/rows-report.ts'
import { appsWorld } from './world.ts'

test('the status counts the deployments of a member for them, and all for an admin', async () => {
  await using w = await appsWorld()
  const { template_id } = await w.product()
  const [ada, bob, eve] = [await w.person('member'), await w.person('member'), await w.person('member')]
  await w.order(ada, template_id)
  const { id } = await w.order(bob, template_id)
  await w.order(bob, template_id)
  const failed = await w.as(w.admin.secret, { url: `/api/v1/reconcile-jobs?deployment_id=${id}` })
  const [job] = failed.json().items
  await w.as(w.admin.secret, {
    method: 'POST',
    url: `/api/v1/reconcile-jobs/${job.id}:fail`,
    payload: { error: 'no' },
  })
  const notices = { subscribe: () => () => {} }
  const report = rowsReport({ name: 'apps', count: COUNT_APPS, pool: w.pool, notices, board: w.parts.board })
  await report.refresh()

  const apps = async ({ secret }: { readonly secret: string }) =>
    (await w.as(secret, { url: '/api/v1/status' })).json().domains[0]
  expect(await apps(w.admin)).toMatchObject({ objects: 3, not_ready: 3, health: 'degraded' })
  expect(await apps(ada)).toMatchObject({ objects: 1, not_ready: 1, health: 'ok', message: '0 of 1 ready' })
  expect(await apps(bob)).toMatchObject({ objects: 2, health: 'degraded', message: '0 of 2 ready, 1 failed' })
  expect(await apps(eve)).toMatchObject({ objects: 0, not_ready: 0, health: 'ok', message: 'no objects yet' })
  const events = async ({ secret }: { readonly secret: string }) =>
    (await w.as(secret, { url: '/api/v1/events' }))
      .json()
      .items.filter(({ kind }: { kind: string }) => kind === 'Domain')
  expect(await events(ada)).toEqual([])
  expect(await events(w.admin)).toMatchObject([{ object_id: 'apps', reason: 'degraded' }])

  report.waitFor('waits for Helm')
  expect(await apps(ada)).toMatchObject({ objects: 1, health: 'preparing', message: 'waits for Helm' })
})
