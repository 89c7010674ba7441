import { FairLane, LaneRefused, type FairLaneOptions } from '../../kernel/index.ts'
import { raise } from './failures.ts'
import type { Helm } from './helm/port.ts'

export type InsightLaneOptions = Pick<FairLaneOptions, 'clock' | 'concurrency' | 'limitMs'>

/** Enough for a form that previews while somebody types, and for a script that does so for a few apps. */
const WAITING_OF_ONE = 8
const WAITING = 64

/** Runs what takes a Helm process and is asked for by people, a few at a time and in turns. */
export interface InsightLane {
  run<T>(tenant: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
}

export function insightLane({ clock, concurrency, limitMs }: InsightLaneOptions): InsightLane {
  const lane = new FairLane({ clock, concurrency, limitMs, waitingOfOne: WAITING_OF_ONE, waiting: WAITING })
  return {
    run: (tenant, work, signal) =>
      lane.run(tenant, work, signal).catch((error: unknown) => {
        throw error instanceof LaneRefused ? inOurWords(error, limitMs) : error
      }),
  }
}

function inOurWords({ why }: LaneRefused, limitMs: number): Error {
  const retryAfterMs = Math.ceil(limitMs / 10)
  const seconds = limitMs / 1000
  switch (why) {
    case 'too many of the tenant':
      return raise.TooManyPreviews(`${WAITING_OF_ONE} previews of this user wait already`, { retryAfterMs })
    case 'too many':
      return raise.PreviewsBusy(`${WAITING} previews wait already`, { retryAfterMs })
    case 'waited too long':
      return raise.PreviewsBusy(`it was not begun within ${seconds} s`, { retryAfterMs })
    case 'ran too long':
      return raise.PreviewTooSlow(`it was not done within ${seconds} s and was ended`)
    default:
      return why satisfies never
  }
}

/** A Helm whose renderings for people wait for their turn. */
export const inLane = (helm: Helm, lane: InsightLane, tenant: string): Helm => ({
  ...helm,
  render: (target, chart, values, signal) =>
    lane.run(tenant, (until) => helm.render(target, chart, values, until), signal),
})
