import { expect, test } from 'vitest'
import { aborted, service } from '../../kernel/index.ts'
import type { At } from '../../kube/index.ts'
import { exampleCluster as cluster, exampleSettings as settings } from './fake/example.ts'
import type { Shoot } from './gardener/shoot.ts'
import { observe } from './observe.ts'
import type { LoadedCluster } from './rows.ts'
import { summaryOf } from './shoot/summary.ts'
import { wantedShoot } from './shoot/wanted.ts'

const made = (namespace: string): Shoot => wantedShoot(cluster, settings, namespace)

const loaded = (shoot: Shoot | null): LoadedCluster => ({
  cluster,
  sync: {
    generation: 1,
    syncedGeneration: 1,
    syncedAt: 0,
    failure: null,
    attempts: 0,
    lastAttemptAt: null,
    status: 'ready',
    statusMessage: null,
    statusFailure: null,
    statusChangedAt: 0,
    shoot: shoot && summaryOf(shoot),
    retries: 0,
    closedOperation: null,
  },
})

/** What is observed while the watch shows nothing, and what the server was asked for. */
async function observed(row: LoadedCluster, there: Shoot | undefined, namespace?: string, isCurrent = true) {
  const asked: string[] = []
  const watch = service('watch', async (signal, ready) => {
    ready()
    await aborted(signal)
  })
  const gardener = {
    shoots: { ...watch, ofCluster: () => undefined, all: () => [], onChange: () => () => {}, isCurrent },
    find: async ({ namespace: where = '', name }: At) => {
      asked.push(`${where}/${name}`)
      return there
    },
    list: async () => [],
  }
  const deps = { gardener, settings: { ...settings, ...(namespace !== undefined && { namespace }) } }
  const { seen, draft } = await observe(deps, row, { isApplied: false }, new AbortController().signal)
  return { is: seen.shoot.is, draft, asked }
}

test('a Shoot that was made before the settings named a namespace is found where it is', async () => {
  const old = made('garden-p1')
  const { is, draft, asked } = await observed(loaded(old), old, 'garden-fundament')
  expect([is, asked]).toEqual(['present', [`garden-p1/${old.metadata.name}`]])
  expect(draft?.metadata).toMatchObject({ namespace: 'garden-p1', name: old.metadata.name })
})

test('such a Shoot of a deleted cluster is not taken for gone while the watch is not current', async () => {
  const old = made('garden-p1')
  const { cluster: living, sync } = loaded(old)
  const deleted: LoadedCluster = { cluster: { ...living, deletedAt: 1 }, sync }
  expect(await observed(deleted, old, 'garden-fundament', false)).toMatchObject({ is: 'present' })
  expect(await observed(deleted, undefined, 'garden-fundament', false)).toMatchObject({ is: 'absent' })
})

test('one of somebody else there is not taken for it, and one that is gone is made where the settings say', async () => {
  const old = made('garden-p1')
  const foreign: Shoot = { ...old, metadata: { ...old.metadata, labels: {} } }
  for (const there of [foreign, undefined]) {
    const { is, draft } = await observed(loaded(old), there, 'garden-fundament')
    expect([is, draft?.metadata.namespace]).toEqual(['absent', 'garden-fundament'])
  }
})

test('the server is not asked where the watch sees everything that there can be', async () => {
  const old = made('garden-p1')
  expect(await observed(loaded(old), old)).toMatchObject({ is: 'absent', asked: [] })
  expect(await observed(loaded(old), old, 'garden-p1')).toMatchObject({ is: 'absent', asked: [] })
  expect(await observed(loaded(null), old, 'garden-fundament')).toMatchObject({ is: 'absent', asked: [] })
})
