import { expect, test } from 'vitest'
import { appsChanges } from '../../../src/api/routes/apps/index.ts'
import type { EventView } from '../../../src/api/contract/index.ts'
import { publishLive } from '../live.ts'
import { appsWorld, type AppsWorld } from './world.ts'

const HEARD_WITHIN_MS = 60_000

/** Resolves when somebody with this role has heard an event like it. */
function heard(w: AppsWorld, isIt: (event: EventView) => boolean): Promise<EventView> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('no such event was heard')), HEARD_WITHIN_MS)
    w.parts.events.onPublish((event) => {
      if (!isIt(event)) return
      clearTimeout(late)
      resolve(event)
    })
  })
}

test('whoever changes a row, whoever may see it hears of it, and nobody else', async () => {
  await using w = await appsWorld()
  const stop = await publishLive(w, [appsChanges])
  try {
    const [ada, eve] = [await w.person('member'), await w.person('member')]
    const published = heard(w, ({ kind }) => kind === 'Template')
    const { template_id } = await w.product()
    expect(await published).toMatchObject({ topic: 'apps', object_id: template_id })
    const ordered = heard(w, ({ kind }) => kind === 'Deployment')
    const { id, deployment_uid } = await w.order(ada, template_id)
    expect(await ordered).toMatchObject({
      topic: 'apps',
      object_id: id,
      reason: 'pending',
      message: `${deployment_uid} is pending`,
      tone: 'wait',
    })
    const kindsHeardBy = async (by: { secret: string }): Promise<string[]> => {
      const { items } = (await w.as(by.secret, { url: '/api/v1/events' })).json<{ items: EventView[] }>()
      return [...new Set(items.map(({ kind }) => kind))].toSorted()
    }
    expect(await kindsHeardBy(ada)).toEqual(['Deployment', 'Product', 'Template'])
    expect(await kindsHeardBy(eve)).toEqual(['Product', 'Template'])
    expect(await kindsHeardBy(w.admin)).toEqual(['Deployment', 'Product', 'Template'])
  } finally {
    await stop()
  }
})
