import type { StatusBoard } from '../../api/index.ts'
import type { Gardener } from '../../domains/clusters/gardener/index.ts'
import { every, messageOf, type Clock, type Service } from '../../kernel/index.ts'
import type { ReadFigures } from './figures.ts'
import { gardenerCheck } from './gardener-check.ts'

const EVERY_MS = 5_000
/** Six heartbeats of a worker. */
const OLD_SECONDS = 30

export interface GardenerReportOptions {
  readonly gardener: Pick<Gardener, 'mode' | 'ping'>
  readonly figures: ReadFigures
  readonly board: Pick<StatusBoard, 'component'>
  readonly clock: Clock
}

/** Reports to the status board whether Gardener answers, and whether a worker follows its Shoots. */
export function gardenerReport({ gardener, figures, board, clock }: GardenerReportOptions): Service {
  const { probe } = gardenerCheck(gardener)
  const report = (health: 'ok' | 'degraded' | 'down', message: string): void =>
    board.component('gardener', { health, message, version: null })
  const observe = async (signal: AbortSignal): Promise<void> => {
    const answer = await probe(signal)
    const behind = gardener.mode === 'mock' ? undefined : behindText((await figures()).statusAgeSeconds)
    if (behind === undefined) report('ok', answer)
    else report('degraded', `${answer}, but ${behind}`)
  }
  return every('gardener report', EVERY_MS, observe, { clock, onError: (error) => report('down', messageOf(error)) })
}

function behindText(ageSeconds: number | undefined): string | undefined {
  if (ageSeconds === undefined) return 'no worker of clusters has followed its Shoots yet'
  if (ageSeconds <= OLD_SECONDS) return undefined
  return `no worker of clusters has followed its Shoots for ${Math.round(ageSeconds)} s`
}
