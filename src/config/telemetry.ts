import { oneOf, text, url } from './kinds.ts'
import { section, type ValuesOf } from './section.ts'
import { optional, secret, variable } from './variable.ts'

export const TELEMETRY = section({
  title: 'Logs and traces',
  readBy: '`up`, `api`, the workers and controllers',
  variables: {
    logLevel: variable(
      'CAELUS_LOG_LEVEL',
      oneOf('debug', 'info', 'warn', 'error', 'silent'),
      'info',
      'Lowest level of the log lines that are written.',
    ),
    logFormat: variable(
      'CAELUS_LOG_FORMAT',
      oneOf('auto', 'json', 'pretty'),
      'auto',
      'Format of log lines: json, or pretty for people; auto is pretty if stderr is a terminal.',
    ),
    otlpEndpoint: optional(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      url('http', 'https'),
      'Where traces are sent (OTLP over HTTP). Without it there is no tracing. Other OTEL_ variables work as their specification says.',
    ),
    otlpHeaders: secret('OTEL_EXPORTER_OTLP_HEADERS', text, 'Headers sent with traces, often a credential.'),
    otelServiceName: variable('OTEL_SERVICE_NAME', text, 'caelus', 'Name of this service in traces.'),
  },
})

export type Telemetry = ValuesOf<typeof TELEMETRY>
