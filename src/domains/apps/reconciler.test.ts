import { expect, test } from 'vitest'
import { createEmitter, manualClock, Waiting, type Run } from '../../kernel/index.ts'
import type { AppsEvents } from './events.ts'
import type { Observation } from './observe.ts'
import { NO_DRIFT } from './observed.ts'
import type { AppsParts } from './parts.ts'
import { appsReconcile } from './reconciler.ts'
import { masker } from './values/redaction.ts'
import type { LoadedDeployment } from './rows.ts'

const SECRET = 'correct-horse'

function world({ canForget = true, isHeld = false } = {}) {
  const clock = manualClock()
  const written: unknown[] = []
  const told: unknown[] = []
  const deployment = { id: '1', namespaceName: 'ns', status: 'ready', generation: 1, deletedAt: null, lastError: null }
  const rows = {
    load: async () => ({ deployment }) as unknown as LoadedDeployment,
    write: async (_id: string, _fence: number, patch: unknown) => written.push(patch) > 0,
    living: async () => [],
  }
  const sighting = {
    mask: masker([SECRET]),
    plan: { values: {}, digest: 'd' },
    wanted: { digest: 'd', healthTimeoutMs: 1, claims: [] },
    seen: { namespace: { is: 'active' }, release: { is: 'absent' }, health: { is: 'ready' }, drift: NO_DRIFT },
    record: undefined,
    isRemembered: false,
  } as unknown as Observation
  const done: string[] = []
  const locks = {
    acquire: async () => {
      done.push('act')
      if (isHeld) return { held: false, by: 'actions/restart of web', until: 4_000 }
      throw new Error(`the server refused "${SECRET}"`)
    },
  }
  const verified = {
    forget: async (id: string, fence: number) => {
      done.push(`forget ${id} under ${fence}`)
      if (!canForget) throw new Error('the database is away')
    },
  }
  const tell = createEmitter<AppsEvents>()
  tell.on('apps:step', (step) => void told.push(step))
  const reconcile = appsReconcile({
    parts: { rows, clock, locks } as unknown as AppsParts,
    observer: { observe: async () => sighting },
    verified,
    events: { record: (_about, happened) => void told.push(happened), flush: async () => {} },
    emitter: tell,
    backoff: { baseMs: 1_000, capMs: 8_000 },
  })
  const run: Run = {
    key: { kind: 'Deployment', id: '1' },
    attempt: 1,
    fence: 7,
    signal: new AbortController().signal,
    decided: (decided) => void told.push(decided.hide?.([decided.input, decided.decision]).value),
  }
  return { reconcile: () => reconcile(run), written, told, done }
}

test('a secret that an error quotes reaches no row, event, decision nor the queue', async () => {
  const { reconcile, written, told } = world()
  const error: unknown = await reconcile().catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('the server refused "(write-only)"')
  expect(written.length).toBeGreaterThan(1)
  expect(JSON.stringify([error, written, told])).not.toContain(SECRET)
  expect(error instanceof Error && error.cause).toBeUndefined()
})

test('the row says when the next try is due', async () => {
  const { reconcile, written } = world()
  await reconcile().catch(() => {})
  expect(written.at(-1)).toMatchObject({ nextReconcileAt: 2_000, lastError: { code: 'Unexpected' } })
})

test.each([
  ['is forgotten before it is changed', true, ['forget 1 under 7', 'act']],
  ['cannot be forgotten is not changed', false, ['forget 1 under 7']],
])('what %s', async (_, canForget, expected) => {
  const { reconcile, done } = world({ canForget })
  await reconcile().catch(() => {})
  expect(done.slice(0, 2)).toEqual(expected)
})

test('a run whose target another domain holds waits, names the holder, and reports no failure', async () => {
  const { reconcile, written, told } = world({ isHeld: true })
  const error: unknown = await reconcile().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Waiting)
  expect(error).toMatchObject({
    afterMs: 4_000,
    message: '/namespace//ns is held by actions/restart of web until 1970-01-01T00:00:04.000Z',
  })
  expect(JSON.stringify([written, told])).not.toContain('failure')
  expect(written.filter((patch) => JSON.stringify(patch).includes('"code"'))).toEqual([])
})
