import type { ClassRuntime, ClassRuntimeSpec } from '../class-runtime.ts'
import type { Env } from './env.ts'
import type { RenderSettings } from './template.ts'

type Telemetry = NonNullable<ClassRuntimeSpec['telemetry']>

/** Asking for any of it is switching it on; only `enabled: false` switches it off. */
export const telemetryOf = ({ telemetry }: ClassRuntimeSpec): Telemetry | undefined =>
  telemetry?.enabled === false ? undefined : telemetry

/** As OpenTelemetry's libraries read it. Nothing without an endpoint: exporters that fail would fill the logs. */
export function telemetryEnv(runtime: ClassRuntime, { otlpEndpoint }: RenderSettings, functionKey?: string): Env {
  const telemetry = telemetryOf(runtime.spec)
  if (telemetry === undefined || otlpEndpoint === undefined) return {}
  const {
    traces = false,
    metrics = false,
    logs = false,
    sampling_rate: rate,
    service_name,
    resource_attributes,
  } = telemetry
  const { name, namespace = '' } = runtime.metadata
  const attributes = {
    'k8s.namespace.name': namespace,
    'oaas.class': runtime.spec.package_class_key ?? name,
    ...(functionKey !== undefined && { 'oaas.function': functionKey }),
    ...resource_attributes,
  }
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint,
    OTEL_SERVICE_NAME: service_name ?? name,
    OTEL_RESOURCE_ATTRIBUTES: listed(attributes),
    OTEL_TRACES_EXPORTER: exporter(traces),
    OTEL_METRICS_EXPORTER: exporter(metrics),
    OTEL_LOGS_EXPORTER: exporter(logs),
    ...(rate !== undefined && { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: `${rate}` }),
  }
}

const exporter = (isWanted: boolean): string => (isWanted ? 'otlp' : 'none')

/** Sorted; what would end a value is percent-encoded, as the specification of these variables has it. */
const listed = (attributes: Env): string =>
  Object.entries(attributes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join(',')
