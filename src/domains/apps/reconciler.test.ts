import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/replay.ts'
import { expectNoSentinel, SENTINEL } from '../../../test/support/sentinel.ts'
import {
  createEmitter,
  manualClock,
  replay,
  seededRandom,
  Waiting,
  type DecisionRecord,
  type Run,
} from '../../kernel/index.ts'
import { FakeKubernetes } from '../../kube/fake/index.ts'
import { makeClient, Namespace, type Transport } from '../../kube/index.ts'
import type { AppsEvents } from './events.ts'
import { raise } from './failures.ts'
import { DEPLOYMENT_LABEL } from './fence.ts'
import type { Observation } from './observe.ts'
import { NO_DRIFT } from './observed.ts'
import type { AppsParts } from './parts.ts'
import { appsReconcile } from './reconciler.ts'
import { replays } from './replay.ts'
import { masker } from './values/redaction.ts'
import type { LoadedDeployment } from './rows.ts'

const SECRET = 'correct-horse'

interface WorldOptions {
  readonly canForget?: boolean
  readonly isHeld?: boolean
  readonly observed?: Partial<Pick<Observation, 'seen' | 'wanted'>>
  readonly client?: AppsParts['client']
  readonly assertLeased?: Run['assertLeased']
}

const unreachable: Transport = { send: () => Promise.reject(new Error('no API server')), async *stream() {} }

function world(options: WorldOptions = {}) {
  const { canForget = true, isHeld = false, observed = {}, assertLeased = () => {} } = options
  const client = options.client ?? makeClient(unreachable, { fieldManager: 'caelus' })
  const clock = manualClock()
  const written: unknown[] = []
  const told: unknown[] = []
  const intent = { generation: 1, retries: 0, rollout: null, deletedAt: null }
  const row = {
    id: '1',
    namespaceName: 'ns',
    status: 'ready',
    lastError: null,
    unrepairable: [],
    clusterId: null,
    suspendedAt: null,
    ...intent,
  }
  const deployment: Omit<typeof row, 'deletedAt'> & { deletedAt: number | null } = row
  const rows = {
    load: async () => ({ deployment }) as unknown as LoadedDeployment,
    write: async (_id: string, _fence: number, patch: unknown) => written.push(patch) > 0,
    living: async () => [],
  }
  const sighting = {
    mask: masker([SECRET, SENTINEL]),
    plan: { values: {}, digest: 'd' },
    wanted: { digest: 'd', healthTimeoutMs: 1, claims: [] },
    seen: { namespace: { is: 'active' }, release: { is: 'absent' }, health: { is: 'ready' }, drift: NO_DRIFT },
    record: undefined,
    isRemembered: false,
    ...observed,
  } as unknown as Observation
  const done: string[] = []
  const records: DecisionRecord[] = []
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
    parts: { rows, clock, locks, client } as unknown as AppsParts,
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
    assertLeased,
    yieldPlace: () => false,
    decided: (decided) => void records.push(recorded('apps', decided)),
  }
  return { reconcile: () => reconcile(run), clock, deployment, written, told, done, records }
}

test('a secret that an error quotes reaches no row, event, decision nor the queue', async () => {
  const { reconcile, written, told, records } = world()
  const error: unknown = await reconcile().catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('the server refused "(write-only)"')
  expect(written.length).toBeGreaterThan(1)
  expect(JSON.stringify([error, written, told, records])).not.toContain(SECRET)
  expect(records).toHaveLength(1)
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
  expect(JSON.stringify(told)).not.toContain('failure')
  expect(written.filter((patch) => JSON.stringify(patch).includes('"code"'))).toEqual([])
})

const active = { namespace: { is: 'active' }, drift: NO_DRIFT, health: { is: 'ready' } } as const
const deployed = { is: 'deployed', updatedAt: 0, revision: 1, digest: 'd', claims: [] } as const
const failing = {
  is: 'failing',
  diagnostics: { code: 'NeverHealthy', message: 'cannot log in with (write-only)' },
} as const

test.each<[string, Required<WorldOptions>['observed']]>([
  ['a template that quotes it', { wanted: { problem: raise.TemplateMissing(`no "${SENTINEL}"`).failure } }],
  ['a program that printed it', { seen: { ...active, release: deployed, health: failing } }],
  [
    'an object whose name holds it',
    { seen: { ...active, release: deployed, drift: { ...NO_DRIFT, missing: [`ConfigMap/${SENTINEL}`] } } },
  ],
])('a decision on %s replays to the same answer, and its record has no secret', async (_, observed) => {
  const { reconcile, records, written } = world({ observed })
  await reconcile().catch(() => {})
  expect(records).not.toEqual([])
  expect(records.map((record) => replay(record, replays))).toEqual(records.map(() => ({ is: 'same' })))
  expectNoSentinel([records, written])
})

const absent: Observation['seen'] = {
  namespace: { is: 'absent' },
  release: { is: 'absent' },
  health: { is: 'ready' },
  drift: NO_DRIFT,
}

test('the creation of a namespace is not aborted by a deletion: done later, it would outlive it', async () => {
  const creating = Promise.withResolvers<AbortSignal | undefined>()
  const send: Transport['send'] = ({ signal }) => {
    creating.resolve(signal)
    return new Promise<never>(() => {})
  }
  const client = makeClient({ ...unreachable, send }, { fieldManager: 'caelus' })
  const { reconcile, clock, deployment } = world({ client, observed: { seen: absent } })
  void reconcile()
  const signal = await creating.promise
  deployment.deletedAt = 1
  await clock.advance(60_000)
  expect(signal?.aborted).toBe(false)
})

test.each<[string, Observation['seen']]>([
  ['creates no namespace', absent],
  ['does not claim its namespace', { ...absent, namespace: { is: 'active' } }],
])('a run whose lease has lapsed %s', async (_, seen) => {
  const kubernetes = new FakeKubernetes({ clock: manualClock(), random: seededRandom(1) }).transport()
  const metadata = { name: 'ns', labels: { [DEPLOYMENT_LABEL]: '1' } }
  const user = makeClient(kubernetes, { fieldManager: 'them' })
  if (seen !== absent) await user.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata })
  const sent: string[] = []
  const send: Transport['send'] = async (request) => {
    sent.push(request.method)
    if (request.method !== 'GET') throw new Error('a write was sent')
    return kubernetes.send(request)
  }
  const client = makeClient({ ...kubernetes, send }, { fieldManager: 'caelus' })
  const assertLeased = (): void => {
    throw new Error('the lease on Deployment/1 was lost')
  }
  await expect(world({ client, assertLeased, observed: { seen } }).reconcile()).rejects.toThrow()
  expect(sent.filter((method) => method !== 'GET')).toEqual([])
})
