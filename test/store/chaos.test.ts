import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import {
  controller,
  decisionLog,
  createEmitter,
  settled,
  type ControllerOptions,
  type KernelEvents,
} from '../../src/kernel/index.ts'
import {
  inTx,
  listener,
  migrate,
  openQueuePool,
  PostgresQueue,
  type PostgresQueueOptions,
  type QueuePool,
} from '../../src/store/index.ts'
import { removePostgresData, startPostgres } from '../../tools/postgres/postgres.ts'
import { proxyTo } from '../kube/watch/proxy.ts'
import { freshDatabase } from '../support/postgres.ts'
import { builtProgram } from '../support/programs.ts'

const KEYS = 200
const ids = Array.from({ length: KEYS }, (_, i) => `k${i}`)
const wakes = ids.map((id) => ({ key: { kind: 'Thing', id }, wake: { reason: 'created' as const } }))

interface Work extends AsyncDisposable {
  readonly queue: PostgresQueue
  /** How often each key ran to its end. */
  readonly runs: Map<string, number>
  readonly done: () => number
  readonly left: () => Promise<number>
}

/** A loop that works on the queue until it is disposed of. */
async function work(
  pool: QueuePool,
  options: Partial<PostgresQueueOptions> = {},
  loop: Partial<ControllerOptions> = {},
  effort: (done: number) => Promise<unknown> = () => delay(5),
): Promise<Work> {
  const queue = new PostgresQueue({ pool, name: 'chaos', leaseMs: 2_000, ...options })
  const runs = new Map<string, number>()
  const running = controller({
    name: 'chaos',
    queue,
    emitter: createEmitter<KernelEvents>(),
    decisions: decisionLog(),
    concurrency: 10,
    pollMs: 200,
    async reconcile({ key }) {
      await effort(runs.size)
      runs.set(key.id, (runs.get(key.id) ?? 0) + 1)
      return settled()
    },
    ...loop,
  })
  await running.start()
  return {
    queue,
    runs,
    done: () => runs.size,
    left: async () => (await pool.query<{ n: number }>('select count(*)::int as n from caelus.job'))[0]?.n ?? -1,
    async [Symbol.asyncDispose]() {
      await running.stop()
      queue.close()
    },
  }
}

const finishes = async ({ runs, left }: Pick<Work, 'runs' | 'left'>): Promise<void> => {
  await expect.poll(left, { timeout: 30_000, interval: 100 }).toBe(0)
  expect([...runs.keys()].toSorted()).toEqual(ids.toSorted())
}

test('a restart of PostgreSQL in the middle of the work loses nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'caelus-chaos-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const dataDir = join(folder, 'postgres')
  onTestFinished(() => removePostgresData(dataDir))
  let server = await startPostgres({ dataDir, durable: false })
  onTestFinished(() => server.stop())
  await migrate(server.url)
  const pool = openQueuePool({ url: server.url, applicationName: 'chaos' })
  onTestFinished(() => pool.end())
  const hints = listener({ url: server.url, applicationName: 'chaos hints' })
  await hints.start()
  onTestFinished(() => hints.stop())
  const back = Promise.withResolvers<void>()
  // The second half cannot be done before the restart, however slow that is.
  const effort = (done: number): Promise<unknown> => (done < KEYS / 2 ? delay(5) : back.promise)
  await using w = await work(pool, { listener: hints }, {}, effort)
  await w.queue.wakeAll(wakes)
  await expect.poll(w.done, { interval: 5 }).toBeGreaterThan(KEYS / 10)
  await server.stop()
  server = await startPostgres({ dataDir, port: server.port, durable: false })
  back.resolve()
  await finishes(w)
})

test('connections killed again and again lose nothing', async () => {
  await using database = await freshDatabase()
  const pool = database.openQueuePool({ applicationName: 'victim' })
  const hints = listener({ url: database.url, applicationName: 'victim' })
  await hints.start()
  await using w = await work(pool, { listener: hints })
  await w.queue.wakeAll(wakes)
  for (let round = 0; round < 10; round++) {
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim' and datname = current_database()`,
    )
    await delay(30)
  }
  await finishes({ runs: w.runs, left: async () => (await database.pool.query('select from caelus.job')).length })
  await hints.stop()
})

test('a program that has used up its connections still renews its leases and finishes its keys', async () => {
  await using database = await freshDatabase()
  const scarce = database.openPool({ max: 1, acquireTimeoutMs: 3_000 })
  const hog = await scarce.connect()
  let turnedAway = 0
  const runs = new Map<string, number>()
  await using w = await work(
    database.openQueuePool({ max: 1 }),
    { leaseMs: 2_000 },
    {
      concurrency: 20,
      backoff: { baseMs: 20, capMs: 100 },
      async reconcile({ key }) {
        await scarce.query('select 1').catch((error: unknown) => {
          turnedAway += 1
          throw error
        })
        runs.set(key.id, (runs.get(key.id) ?? 0) + 1)
        return settled()
      },
    },
  )
  await w.queue.wakeAll(wakes)
  await expect.poll(() => turnedAway).toBeGreaterThan(20)
  expect(runs.size).toBe(0)
  hog.release()
  await finishes({ runs, left: w.left })
})

test('a transaction left open elsewhere delays the one key it holds and no other', async () => {
  await using database = await freshDatabase()
  const pool = database.openQueuePool({ lockTimeoutMs: 300 })
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const runs = new Map<string, number>()
  // However long the others take, the server must not end the transaction that they must not wait for.
  const patient = database.openPool({ idleInTransactionTimeoutMs: 60_000 })
  await using w = await work(
    pool,
    { leaseMs: 1_000 },
    {
      async reconcile({ key }) {
        if (key.id === 'k0') begun.resolve()
        await held.promise
        runs.set(key.id, (runs.get(key.id) ?? 0) + 1)
        return settled()
      },
    },
  )
  await w.queue.wakeAll(wakes)
  await begun.promise
  await inTx(patient, async (tx) => {
    await tx.query('select from caelus.job') // a snapshot that vacuum must respect
    await w.queue.wakeIn(tx, { key: { kind: 'Thing', id: 'k0' }, wake: { reason: 'changed' } })
    held.resolve()
    await expect.poll(w.left, { timeout: 30_000, interval: 50 }).toBe(1)
  })
  await finishes({ runs, left: w.left })
  expect(runs.get('k0')).toBeGreaterThanOrEqual(2)
})

test('a worker killed over and over loses nothing, and what it held runs again when its lease is over', async () => {
  await using database = await freshDatabase()
  const [leaseMs, pollMs] = [1_000, 200]
  await database.pool.query(
    `create table run (what text, id text, fence bigint, pid int, at timestamptz default clock_timestamp())`,
  )
  const start = (most = Infinity) => {
    const child = spawn(
      process.execPath,
      [builtProgram('test/store/worker-process'), database.url, `${leaseMs}`, `${pollMs}`, `${most}`],
      { stdio: 'inherit' },
    )
    return {
      pid: child.pid ?? 0,
      kill: () => child.kill('SIGKILL'),
      gone: new Promise((resolve) => child.once('exit', resolve)),
    }
  }
  const begunBy = async (pid: number): Promise<number> =>
    (await database.pool.query(`select from run where what = 'begin' and pid = $1`, [pid])).length
  const queue = new PostgresQueue({ pool: database.openQueuePool(), name: 'chaos' })
  await queue.wakeAll(wakes.slice(0, 40))
  const killed: number[] = []
  for (let round = 0; round < 3; round++) {
    // However late it is killed, it holds something then, and has left enough for the others.
    const worker = start(5)
    await expect.poll(() => begunBy(worker.pid), { interval: 10 }).toBeGreaterThan(5)
    worker.kill()
    await worker.gone
    killed.push(worker.pid)
  }
  const heir = start()
  onTestFinished(() => void heir.kill())
  await expect.poll(() => database.pool.query('select from caelus.job'), { timeout: 30_000, interval: 100 }).toEqual([])
  const ended = await database.pool.query(`select distinct id from run where what = 'end'`)
  expect(ended).toHaveLength(40)
  const [cut] = await database.pool.query<{ n: number; again: number }>(
    `select count(*)::int as n, count(*) filter (where exists (
       select from run later where later.id = cut.id and later.fence > cut.fence and later.what = 'begin'
     ))::int as again
     from run cut
     where what = 'begin' and pid = any ($1) and not exists (select from run e where e.what = 'end' and e.fence = cut.fence)`,
    [killed],
  )
  expect(cut?.n).toBeGreaterThanOrEqual(3)
  expect(cut?.again).toBe(cut?.n)
  queue.close()
})

test('with default settings, the key of a killed worker runs again within 30 seconds', async () => {
  await using database = await freshDatabase()
  const queue = new PostgresQueue({ pool: database.openQueuePool(), name: 'defaults' })
  const defaultPollMs = 2_000
  expect(queue.leaseMs + defaultPollMs).toBeLessThanOrEqual(30_000)
  queue.close()
})

test('connections that go silent without closing are noticed, and a committed key runs within 30 seconds', async () => {
  await using database = await freshDatabase()
  const proxy = await proxyTo(Number(new URL(database.url).port))
  const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${proxy.port}` }).href
  const leaseMs = 4_000
  const pool = openQueuePool({ url, applicationName: 'silenced', leaseMs })
  onTestFinished(() => pool.end())
  const hints = listener({ url, applicationName: 'silenced hints' })
  await hints.start()
  onTestFinished(() => hints.stop())
  const emitter = createEmitter<KernelEvents>()
  const unreachable: string[] = []
  emitter.on('queue:unreachable', ({ doing }) => void unreachable.push(doing))
  await using w = await work(pool, { listener: hints, leaseMs }, { emitter })
  const api = new PostgresQueue({ pool: database.openQueuePool(), name: 'chaos' })
  await api.wakeAll(wakes.slice(0, 20))
  await expect.poll(w.done, { timeout: 30_000, interval: 10 }).toBe(20)

  proxy.swallow()
  await api.wake({ kind: 'Thing', id: 'committed' }, { reason: 'created' })
  try {
    await expect.poll(() => w.runs.has('committed'), { timeout: 30_000, interval: 50 }).toBe(true)
    expect(unreachable.length).toBeGreaterThan(0)
  } finally {
    // Closes the silent connections, so that a loop that still waits for one can be stopped.
    await proxy[Symbol.asyncDispose]()
  }
  api.close()
})

test('hints resume when the connection that brings them was killed', async () => {
  await using database = await freshDatabase()
  const hints = listener({ url: database.url, applicationName: 'ears' })
  await hints.start()
  await using w = await work(database.openQueuePool(), { listener: hints }, { pollMs: 60_000 })
  const api = new PostgresQueue({ pool: database.openQueuePool(), name: 'chaos' })
  await api.wake({ kind: 'Thing', id: 'before' }, { reason: 'created' })
  await expect.poll(w.done, { interval: 10 }).toBe(1)
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ears' and datname = current_database()`,
  )
  await api.wake({ kind: 'Thing', id: 'unheard' }, { reason: 'created' })
  await expect.poll(w.done, { interval: 10 }).toBe(2)
  await api.wake({ kind: 'Thing', id: 'after' }, { reason: 'created' })
  await expect.poll(w.done, { interval: 10 }).toBe(3)
  api.close()
  await hints.stop()
})
