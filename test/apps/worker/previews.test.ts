import { expect, test } from 'vitest'
import { insightOf } from '../../../src/processes/apps/control-plane.ts'
import { insightLane } from '../../../src/domains/apps/index.ts'
import type { Helm } from '../../../src/domains/apps/helm/index.ts'
import { failureOf, systemClock } from '../../../src/kernel/index.ts'
import { createUser } from '../../support/users.ts'
import { helmProcess, writeChart } from '../helm/world.ts'
import { page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const CONCURRENCY = 2

/** Counts the renderings that go on at once. */
function counted(helm: Helm): { readonly helm: Helm; readonly most: () => number } {
  let [now, most] = [0, 0]
  return {
    most: () => most,
    helm: {
      ...helm,
      async render(...asked) {
        most = Math.max(most, ++now)
        try {
          return await helm.render(...asked)
        } finally {
          now--
        }
      },
    },
  }
}

async function scene(limitMs = 60_000) {
  const ending = new AsyncDisposableStack()
  const world = ending.use(await WorkerWorld.make())
  const plain = await world.parts()
  const { helm, most } = counted(plain.helm)
  const { apps } = world
  const lane = insightLane({ clock: systemClock, concurrency: CONCURRENCY, limitMs })
  const insight = insightOf({ ...plain, helm }, { apps }, lane)
  const preview = async (userId: string, templateId: string, signal = new AbortController().signal) => {
    const domainname = `${crypto.randomUUID()}.example.com`
    const inputs = await apps.previewCreate(ADMIN, { userId, templateId, domainname })
    const answer = insight.preview(inputs, signal)
    // Some are refused before the test looks at them.
    answer.catch(() => {})
    return { inputs, answer }
  }
  return { world, preview, most, [Symbol.asyncDispose]: () => ending.disposeAsync() }
}

test('previews of a user who asks for many run two at a time, and another user is not kept waiting', async () => {
  await using here = await scene()
  const { world, preview, most } = here
  const templateId = await world.publish(await writeChart(world.dir, { 'page.yaml': page('hi') }))
  const eve = await createUser(world.database.pool, 'eve@example.com')
  const asked = await Promise.all(Array.from({ length: 9 }, () => preview(world.userId, templateId)))
  const done: string[] = []
  const noted = asked.map(({ answer }) => answer.then(() => done.push('ada')))
  const theirs = (await preview(eve, templateId)).answer.then(() => done.push('eve'))
  await Promise.all([...noted, theirs])
  expect(most()).toBeLessThanOrEqual(CONCURRENCY)
  expect(done.indexOf('eve')).toBeLessThan(5)

  const many = await Promise.all(Array.from({ length: 12 }, () => preview(world.userId, templateId)))
  const codes = await Promise.all(
    many.map(({ answer }) =>
      answer.then(
        () => 'done',
        (error: unknown) => failureOf(error).code,
      ),
    ),
  )
  expect(new Set(codes)).toEqual(new Set(['done', 'TooManyPreviews']))
})

/** Loops for longer than anybody waits. */
const ENDLESS = `{{- range $a := until 100000 }}{{- range $b := until 100000 }}{{- end }}{{- end }}`

test('a preview ends with its client, and when it takes too long', async () => {
  await using here = await scene(2_000)
  const { world, preview } = here
  const templateId = await world.publish(await writeChart(world.dir, { 'endless.yaml': ENDLESS }))
  const client = new AbortController()
  const gone = await preview(world.userId, templateId, client.signal)
  const { namespaceName } = gone.inputs.after.deployment
  const ended = expect(gone.answer).rejects.toThrow('went away')
  await expect.poll(() => helmProcess(namespaceName), { interval: 20 }).toBeDefined()
  client.abort(new Error('went away'))
  await ended
  expect(await helmProcess(namespaceName)).toBeUndefined()

  const slow = await preview(world.userId, templateId)
  await expect(slow.answer).rejects.toMatchObject({ failure: { code: 'PreviewTooSlow' } })
  expect(await helmProcess(slow.inputs.after.deployment.namespaceName)).toBeUndefined()
})
