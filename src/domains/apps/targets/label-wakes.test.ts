import { expect, test, vi } from 'vitest'
import type { Key, Wake } from '../../../kernel/index.ts'
import { deploymentKey } from '../queue.ts'
import type { FoundDeployment } from '../rows.ts'
import { labelWakes } from './label-wakes.ts'

const ofAda = (id: string, isDeleted = false): FoundDeployment => ({ id, userId: 'ada', namespaceName: id, isDeleted })

/** Wakes by labels in cluster `c1`, in which there are the deployments `known`. */
function scene(known: readonly FoundDeployment[] = []) {
  const woken: [string, Wake][] = []
  const asked: (readonly string[])[] = []
  const answers: (() => void)[] = []
  const state = { isSilent: false, isAway: false }
  const wakes = labelWakes({
    clusterId: 'c1',
    queue: { wake: async ({ id }: Key, wake: Wake) => void woken.push([id, wake]) },
    rows: {
      async findIn(clusterId, ids) {
        expect(clusterId).toBe('c1')
        asked.push(ids)
        if (state.isAway) throw new Error('the database is away')
        if (state.isSilent) await new Promise<void>((resolve) => answers.push(resolve))
        return known.filter(({ id }) => ids.includes(id))
      },
    },
  })
  const wake = (id: string, how: Wake = { reason: 'drift' }) => wakes.wake(deploymentKey(id), how)
  return { wake, woken, asked, answers, state }
}

test('a deployment of this cluster is woken for the owner of its row, whatever the label says', async () => {
  const { wake, woken } = scene([ofAda('mine')])
  await wake('mine', { reason: 'childChanged', tenant: 'invented' })
  expect(woken).toEqual([['mine', { reason: 'childChanged', tenant: 'ada' }]])
})

test('neither deployments elsewhere nor deleted ones nor invented ids are woken', async () => {
  const { wake, woken } = scene([ofAda('gone', true)])
  await Promise.all(['elsewhere', 'gone', 'foo', '\0', ''].map((id) => wake(id)))
  expect(woken).toEqual([])
})

test('a burst of labels is checked in one query at a time', async () => {
  const { wake, woken, asked, answers, state } = scene([ofAda('mine')])
  state.isSilent = true
  const waiting = [wake('first'), wake('first')]
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  for (let at = 0; at < 400; at++) waiting.push(wake(`invented-${at}`), wake('mine'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toEqual([['first']])
  state.isSilent = false
  answers[0]?.()
  await Promise.all(waiting)
  expect(asked.length).toBe(3)
  expect(new Set(asked[1]).size).toBe(asked[1]?.length)
  expect(woken.length).toBe(400)
})

test('wakes beyond a limit are dropped while the database is silent', async () => {
  const { wake, asked, answers, state } = scene([ofAda('mine')])
  state.isSilent = true
  const waiting = Array.from({ length: 11_000 }, (_, at) => wake(`invented-${at}`))
  await Promise.all(waiting.slice(10_000))
  await vi.waitFor(() => expect(answers).toHaveLength(1))
  state.isSilent = false
  answers[0]?.()
  await Promise.all(waiting)
  expect(asked.flat()).toHaveLength(10_000)
})

test('a wake that could not be checked fails, so that the watch repeats it', async () => {
  const { wake, woken, state } = scene([ofAda('mine')])
  state.isAway = true
  await expect(wake('mine')).rejects.toThrow('the database is away')
  state.isAway = false
  await wake('mine')
  expect(woken).toHaveLength(1)
})
