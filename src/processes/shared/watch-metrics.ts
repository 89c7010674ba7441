import type { Emitter } from '../../kernel/index.ts'
import type { WatchEvents } from '../../kube/index.ts'
import type { Metrics } from '../../telemetry/index.ts'

const NAMES = [
  'watch:connected',
  'watch:reconnected',
  'watch:relisted',
  'watch:idle',
  'watch:error',
  'watch:behind',
] as const satisfies readonly (keyof WatchEvents)[]

/** Counts what watches tell about themselves. */
export function watchMetrics(metrics: Pick<Metrics, 'watch'>, told: Emitter<WatchEvents>): void {
  for (const name of NAMES) told.on(name, ({ resource }) => metrics.watch(resource, name.slice('watch:'.length)))
}
