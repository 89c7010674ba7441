import {
  createEmitter,
  manualClock,
  seededRandom,
  service,
  sleep,
  type Clock,
  type LeaderElection,
  type ManualClock,
  type Service,
} from '../../kernel/index.ts'
import { makeClient } from '../client/make-client.ts'
import { FakeKubernetes } from '../fake/index.ts'
import { withFaults, type FaultPlan } from '../transport/faults.ts'
import type { Transport } from '../transport/transport.ts'
import { leaderElection, type LeaderElectionOptions, type LeaderEvents } from './election.ts'

const LEASE = { namespace: 'default', name: 'boss' }

/** Candidates of one election on a fake API server, for tests. */
export interface Stage {
  readonly clock: ManualClock
  /** The identities whose services run. */
  readonly working: Set<string>
  readonly log: string[]
  /** The term of every election that was won. */
  readonly terms: string[]
  readonly candidate: (identity: string, more?: Candidate) => LeaderElection
  readonly stop: (...elections: readonly LeaderElection[]) => Promise<void>
}

interface Candidate extends Partial<LeaderElectionOptions> {
  readonly faults?: FaultPlan
  readonly wire?: (inner: Transport) => Transport
  /** What the process's clocks show more than the clock of the test. */
  readonly ahead?: { wallMs: number; monotonicMs: number }
  readonly stopsInMs?: number
}

export function stage(): Stage {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'))
  const cluster = new FakeKubernetes({ clock, random: seededRandom(1) })
  const working = new Set<string>()
  const log: string[] = []
  const terms: string[] = []
  return {
    clock,
    working,
    log,
    terms,
    async stop(...elections) {
      const stopped = Promise.all(elections.map((election) => election.stop()))
      await clock.advance(100_000)
      await stopped
    },
    candidate(identity, { faults = () => undefined, stopsInMs = 0, ...candidate } = {}) {
      const { wire = (inner: Transport) => inner, ahead: clocks = ahead(0), ...more } = candidate
      const own: Clock = {
        now: () => clock.now() + clocks.wallMs,
        elapsed: () => clock.elapsed() + clocks.monotonicMs,
        after: (ms, fn) => clock.after(ms, fn),
      }
      const emitter = createEmitter<LeaderEvents>()
      emitter.on('leader:elected', ({ term }) => terms.push(`${identity} ${term}`))
      emitter.on('leader:lost', ({ why }) => log.push(`${identity} lost: ${why}`))
      const work = (): readonly Service[] => [
        service(`work of ${identity}`, async (signal, ready) => {
          const others = [...working].map((other) => ` beside ${other}`)
          working.add(identity)
          log.push(`${identity} works${others.join('')}`)
          ready()
          await sleep(clock, 1e9, signal).catch(() => {})
          await sleep(clock, stopsInMs)
          working.delete(identity)
          log.push(`${identity} rests`)
        }),
      ]
      return leaderElection({
        client: makeClient(wire(withFaults(cluster.transport(), faults, clock)), { fieldManager: identity }),
        lease: LEASE,
        identity,
        term: work,
        clock: own,
        random: seededRandom(identity.length),
        emitter,
        ...more,
      })
    },
  }
}

export const ahead = (wallMs: number, monotonicMs = 0) => ({ wallMs, monotonicMs })
