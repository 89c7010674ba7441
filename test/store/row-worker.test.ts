import { expect, test } from 'vitest'
import {
  createEmitter,
  decisionLog,
  settled,
  startAll,
  systemClock,
  type KernelEvents,
  type Reconcile,
} from '../../src/kernel/index.ts'
import { openRowQueue, rowWorker } from '../../src/store/index.ts'
import { freshDatabase, onServer, type TestDatabase } from '../support/postgres.ts'

/** A table whose trigger wakes its rows, and a view that says which worker holds a row and until when. */
const TABLES = `
  create table public.garden (id text primary key, organization text not null, size int not null);
  create function public.wake_garden() returns trigger language plpgsql as $$
  begin
    perform caelus.wake('gardens', 'Garden', new.id, new.organization,
      case tg_op when 'INSERT' then 'created' else 'changed' end::caelus.wake_reason);
    return null;
  end $$;
  create trigger garden_wakes after insert or update on public.garden for each row execute function public.wake_garden();
  create view public.garden_claim as
    select id, locked_by, lease_until from caelus.job where queue = 'gardens' and kind = 'Garden' and lease_until > now();`

interface Worker extends AsyncDisposable {
  readonly ran: string[]
}

async function work(database: TestDatabase, instance: string, reconcile: Reconcile): Promise<Worker> {
  const ran: string[] = []
  const emitter = createEmitter<KernelEvents>()
  emitter.on('reconcile:end', ({ key }) => ran.push(key.id))
  const { queue, services } = openRowQueue({
    url: database.url,
    name: 'gardens',
    role: 'caelus_worker',
    onListenerLost: () => {},
  })
  const stop = await startAll([
    ...services,
    ...rowWorker({
      name: 'gardens',
      queue,
      instance,
      reconcile,
      emitter,
      decisions: decisionLog(),
      clock: systemClock,
      // A test that waits for a poll would not end in time: hints and the scan wake the keys.
      pollMs: 600_000,
      drift: {
        everyMs: 600_000,
        pageSize: 2,
        pauseMs: 1,
        page: async (after, limit) =>
          (
            await database.pool.query<{ id: string; organization: string }>(
              'select id, organization from public.garden where $1::text is null or id > $1 order by id limit $2',
              [after ?? null, limit],
            )
          ).map(({ id, organization }) => ({ key: { kind: 'Garden', id }, tenant: organization })),
      },
    }),
  ])
  return { ran, [Symbol.asyncDispose]: stop }
}

const plant = async ({ pool }: TestDatabase, ...ids: readonly string[]): Promise<void> => {
  for (const id of ids) await pool.query('insert into public.garden values ($1, $2, 1)', [id, `of ${id}`])
}

test('a row runs by the scan at the start and by the trigger of its table', async () => {
  await using database = await freshDatabase()
  await onServer(database.url, (client) => client.query(TABLES))
  await plant(database, 'a', 'b', 'c')
  await database.pool.query('delete from caelus.job')
  await using one = await work(database, 'one', async () => settled())
  await expect.poll(() => one.ran.toSorted()).toEqual(['a', 'b', 'c'])
  one.ran.length = 0
  await plant(database, 'd')
  await expect.poll(() => one.ran).toEqual(['d'])
})

test('a view over the queue says which worker holds a row, and nothing when it is done', async () => {
  await using database = await freshDatabase()
  await onServer(database.url, (client) => client.query(TABLES))
  const ended = Promise.withResolvers<void>()
  await using _ = await work(database, 'gardener', async () => {
    await ended.promise
    return settled()
  })
  const claims = (): Promise<unknown[]> => database.pool.query('select id, locked_by from public.garden_claim')
  await plant(database, 'a')
  await expect.poll(claims).toEqual([{ id: 'a', locked_by: 'gardener' }])
  ended.resolve()
  await expect.poll(claims).toEqual([])
})
