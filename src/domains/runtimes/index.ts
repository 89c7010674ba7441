export {
  ClassRuntime,
  DIMENSIONS,
  MODES,
  type AppliedRecommendation,
  type ClassRuntimeSpec,
  type ClassRuntimeStatus,
  type Dimension,
  type FunctionSpec,
  type FunctionStatus,
  type Mode,
  type NfrState,
  type Recommendation,
} from './class-runtime.ts'
export {
  runtimesController,
  type RuntimesController,
  type RuntimesControllerEvents,
  type RuntimesControllerOptions,
} from './controller.ts'
export { KnativeService, PodMonitor, resourceOf, ServiceMonitor } from './watch/optional-kinds.ts'
export type { RuntimesEvents } from './events.ts'
export type { AnalyzerOptions } from './nfr/analyzer.ts'
export { fakeMetrics, type FakeMetrics } from './nfr/fake-metrics.ts'
export type { NfrEvents } from './nfr/events.ts'
export { defaultQueries, type MetricQueries } from './nfr/measure.ts'
export type { MetricsSource, Sample } from './nfr/metrics-source.ts'
export { prometheus, type PrometheusOptions, type PrometheusSource } from './nfr/prometheus.ts'
export { replays } from './replay.ts'
export type { NfrSettings, RuntimesSettings } from './settings.ts'
export { PROFILES, TEMPLATE_IDS, type Profile, type RenderSettings, type TemplateId } from './templates/template.ts'
export { decisionText } from './words.ts'
export * from './types.ts'
