import { expect, test } from 'vitest'
import { adminAccess } from './admin-access.ts'
import type { LoadedCluster } from './rows.ts'

const NEVER = new AbortController().signal

interface Given {
  readonly note?: () => Promise<void>
  readonly answer?: () => Promise<void>
}

function accessTo(loaded: object | undefined, { note = async () => {}, answer = async () => {} }: Given = {}) {
  const asked: unknown[] = []
  const clock = { at: 0, now: () => clock.at }
  const access = adminAccess({
    async note(noted) {
      asked.push(noted)
      await note()
    },
    clock,
    load: async () => loaded as LoadedCluster | undefined,
    gardener: {
      async adminKubeconfig(at, seconds) {
        asked.push([at, seconds])
        await answer()
        return { kubeconfig: 'text', expiresAt: 1 }
      },
    },
    seconds: 600,
  })
  return { asked, clock, ask: () => access.kubeconfig('c1', NEVER) }
}

const SHOOT = { namespace: 'garden-p', name: 'c', isHibernated: false }
const READY = {
  cluster: { name: 'shop', organizationId: 'o1', deletedAt: null },
  sync: { status: 'ready', shoot: SHOOT },
}
const NOTED = { clusterId: 'c1', organizationId: 'o1', seconds: 600 }
const ASKED = [{ namespace: 'garden-p', name: 'c' }, 600]

test('each kubeconfig is noted before Gardener is asked; without a note it is not asked', async () => {
  const noted = accessTo(READY)
  await noted.ask()
  await noted.ask()
  expect(noted.asked).toEqual([NOTED, ASKED, NOTED, ASKED])
  const full = accessTo(READY, { note: () => Promise.reject(new Error('the disk is full')) })
  await expect(full.ask()).rejects.toThrow('the disk is full')
  await expect(full.ask()).rejects.toThrow('the disk is full')
  expect(full.asked).toEqual([NOTED, NOTED])
})

test('while Gardener gives none, a note counts for ten minutes, and for one kubeconfig', async () => {
  let isAway = true
  const { asked, ask, clock } = accessTo(READY, {
    answer: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
  })
  for (clock.at = 0; clock.at < 600_000; clock.at += 200_000) await expect(ask()).rejects.toThrow('away')
  expect(asked).toEqual([NOTED, ASKED, ASKED, ASKED])
  await expect(ask()).rejects.toThrow('away')
  expect(asked.slice(4)).toEqual([NOTED, ASKED])
  isAway = false
  await Promise.all([ask(), ask()])
  expect(asked.slice(6).filter((one) => one !== NOTED && Array.isArray(one))).toHaveLength(2)
  expect(asked.slice(6).filter((one) => !Array.isArray(one))).toEqual([NOTED])
})

test('a cluster that is being deleted is reached as long as something of it is left', async () => {
  const cluster = { ...READY.cluster, deletedAt: 1 }
  const going = accessTo({ cluster, sync: { status: 'deleting', shoot: SHOOT } })
  expect(await going.ask()).toEqual({ kubeconfig: 'text', expiresAt: 1 })
  expect(going.asked).toEqual([NOTED, ASKED])
  const gone = accessTo({ cluster, sync: { status: 'deleted', shoot: SHOOT } })
  expect(await gone.ask()).toBeUndefined()
  expect(gone.asked).toEqual([])
})

test.each([
  ['without a row', undefined, 'ClusterNotReady', 'there is no cluster c1'],
  [
    'without a Shoot',
    { cluster: { name: 'shop', deletedAt: null }, sync: { status: 'pending', shoot: null } },
    'ClusterNotReady',
    'not there',
  ],
  [
    'that is hibernated',
    { cluster: { name: 'shop', deletedAt: null }, sync: { status: 'ready', shoot: { ...SHOOT, isHibernated: true } } },
    'ClusterHibernated',
    'is hibernated',
  ],
])('a cluster %s is not said to be gone', async (_, loaded, code, why) => {
  const { ask, asked } = accessTo(loaded)
  await expect(ask()).rejects.toMatchObject({
    failure: { code },
    message: expect.stringContaining(why),
  })
  expect(asked).toEqual([])
})
