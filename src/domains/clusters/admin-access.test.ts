import { expect, test } from 'vitest'
import { adminAccess } from './admin-access.ts'
import type { LoadedCluster } from './rows.ts'

const NEVER = new AbortController().signal

function accessTo(loaded: object | undefined) {
  const asked: unknown[] = []
  const access = adminAccess({
    load: async () => loaded as LoadedCluster | undefined,
    gardener: {
      async adminKubeconfig(at, seconds) {
        asked.push([at, seconds])
        return { kubeconfig: 'text', expiresAt: 1 }
      },
    },
    seconds: 600,
  })
  return { asked, ask: () => access.kubeconfig('c1', NEVER) }
}

const SHOOT = { namespace: 'garden-p', name: 'c', isHibernated: false }

test('a cluster that is being deleted is reached as long as something of it is left', async () => {
  const cluster = { name: 'shop', deletedAt: 1 }
  const going = accessTo({ cluster, sync: { status: 'deleting', shoot: SHOOT } })
  expect(await going.ask()).toEqual({ kubeconfig: 'text', expiresAt: 1 })
  expect(going.asked).toEqual([[{ namespace: 'garden-p', name: 'c' }, 600]])
  const gone = accessTo({ cluster, sync: { status: 'deleted', shoot: SHOOT } })
  expect(await gone.ask()).toBeUndefined()
  expect(gone.asked).toEqual([])
})

test.each([
  ['without a row', undefined, 'there is no cluster c1'],
  [
    'without a Shoot',
    { cluster: { name: 'shop', deletedAt: null }, sync: { status: 'pending', shoot: null } },
    'not there',
  ],
  [
    'that is hibernated',
    { cluster: { name: 'shop', deletedAt: null }, sync: { status: 'ready', shoot: { ...SHOOT, isHibernated: true } } },
    'is hibernated',
  ],
])('a cluster %s is not said to be gone', async (_, loaded, why) => {
  const { ask, asked } = accessTo(loaded)
  await expect(ask()).rejects.toMatchObject({
    failure: { code: 'ClusterNotReady' },
    message: expect.stringContaining(why),
  })
  expect(asked).toEqual([])
})
