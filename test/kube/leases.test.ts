import { expect, test } from 'vitest'
import { createEmitter, service, sleep, systemClock, type LockAnswer } from '../../src/kernel/index.ts'
import { kubeLocks, leaderElection, Lease, type Client, type LeaderEvents } from '../../src/kube/index.ts'
import { freshNamespace, seen, testClient } from '../support/kube.ts'

/** Nobody who waits for it to run out would live to see that. */
const FOR_EVER = { durationMs: 600_000, renewDeadlineMs: 300_000 }

function candidate(client: Client, namespace: string, identity: string, log: string[]) {
  const told = createEmitter<LeaderEvents>()
  const elected = Promise.withResolvers<void>()
  told.on('leader:elected', () => elected.resolve())
  const election = leaderElection({
    client,
    lease: { namespace, name: 'boss' },
    identity,
    ...FOR_EVER,
    emitter: told,
    term: () => [
      service(`work of ${identity}`, async (signal, ready) => {
        log.push(`${identity} works`)
        ready()
        await sleep(systemClock, 1e6, signal).catch(() => {})
        log.push(`${identity} rests`)
      }),
    ],
  })
  return { election, elected: elected.promise }
}

test('leadership passes at once when the leader stops, and the lease shows who leads', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const log: string[] = []
  const [a, b] = [candidate(client, namespace.name, 'a', log), candidate(client, namespace.name, 'b', log)]
  await a.election.start()
  await a.elected
  await b.election.start()
  const boss = { namespace: namespace.name, name: 'boss' }
  await seen(client, Lease, boss, ({ spec }) => spec?.holderIdentity === 'a')

  await a.election.stop()
  await b.elected
  expect(log).toEqual(['a works', 'a rests', 'b works'])
  expect((await client.get(Lease, boss))?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 2 })

  await b.election.stop()
  expect((await client.get(Lease, boss))?.spec?.holderIdentity).toBeUndefined()
})

test('of many who want a lock at the same moment one gets it, in every round, with a growing fence', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const everybody = Array.from({ length: 8 }, (_, index) => ({
    name: `worker-${index}`,
    locks: kubeLocks({ client, namespace: namespace.name }),
  }))
  const fences: number[] = []
  for (let round = 0; round < 4; round++) {
    const answers: LockAnswer[] = await Promise.all(
      everybody.map(({ name, locks }) => locks.acquire('apps/deployment/shop/web', name, 60_000)),
    )
    const holders = answers.filter((answer) => answer.held)
    expect(holders).toHaveLength(1)
    fences.push(holders[0]!.lock.fence)
    expect(await holders[0]!.lock.renew()).toBe(true)
    await holders[0]!.lock.release()
  }
  expect(fences).toEqual([1, 2, 3, 4])
})
