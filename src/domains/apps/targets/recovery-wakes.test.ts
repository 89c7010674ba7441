import { expect, test } from 'vitest'
import { recoveryWakes } from './recovery-wakes.ts'

const CLUSTERS = ['a', 'b', null] as const

/** 1,200 deployments, every third in the same place. */
function scene() {
  const ids = Array.from({ length: 1_200 }, (_, index) => String(index).padStart(4, '0'))
  const placeOf = (id: string) => CLUSTERS[Number(id) % 3]
  const woken: string[] = []
  const errors: unknown[] = []
  let failing: Error | undefined
  let passes = 0
  const wakes = recoveryWakes({
    queue: {
      async wake({ id }, { reason, tenant }) {
        if (failing !== undefined) throw failing
        expect([reason, tenant]).toEqual(['drift', `owner of ${id}`])
        woken.push(id)
      },
    },
    rows: {
      async living(after, limit) {
        if (after === undefined) passes++
        const page = ids.filter((id) => after === undefined || id > after).slice(0, limit)
        return page.map((id) => ({ id, userId: `owner of ${id}`, namespaceName: id }))
      },
      findIn: async (clusterId, asked) =>
        asked
          .filter((id) => placeOf(id) === clusterId)
          .map((id) => ({ id, userId: `owner of ${id}`, namespaceName: id, isDeleted: false })),
    },
    onError: (error) => errors.push(error),
  })
  const allIn = (...clusters: string[]) => ids.filter((id) => clusters.includes(placeOf(id) ?? ''))
  return { wakes, woken, errors, allIn, passes: () => passes, fail: (error?: Error) => (failing = error) }
}

test('the deployments of a cluster that is back are woken, and no others', async () => {
  const { wakes, woken, allIn } = scene()
  wakes.recovered('a')
  await wakes.again()
  expect(woken).toEqual(allIn('a'))
  woken.length = 0
  await wakes.again()
  expect(woken).toEqual([])
})

test('clusters that come back during a pass share the next one', async () => {
  const { wakes, woken, allIn, passes } = scene()
  for (const id of ['a', 'b', 'a', 'b']) wakes.recovered(id)
  await wakes.again()
  expect(passes()).toBe(2)
  expect(woken.toSorted()).toEqual([...allIn('a'), ...allIn('a', 'b')].toSorted())
})

test('wakes that have failed are repeated', async () => {
  const { wakes, woken, errors, allIn, fail } = scene()
  fail(new Error('the database is away'))
  wakes.recovered('a')
  await wakes.again()
  expect([woken, errors]).toEqual([[], [new Error('the database is away')]])
  fail()
  await wakes.again()
  expect(woken).toEqual(allIn('a'))
})

test('nothing is woken after the end', async () => {
  const { wakes, woken } = scene()
  await wakes.close()
  wakes.recovered('a')
  await wakes.again()
  expect(woken).toEqual([])
})
