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

/** Counts the events of watches. */
export function watchMetrics(metrics: Pick<Metrics, 'watch'>, emitter: Emitter<WatchEvents>): void {
  for (const name of NAMES) emitter.on(name, ({ resource }) => metrics.watch(resource, name.slice('watch:'.length)))
}
