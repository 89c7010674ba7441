import type { Telemetry } from '../../config/index.ts'
import type { Service } from '../../kernel/index.ts'
import { makeLogger, tracing, type Logger, type Scrub } from '../../telemetry/index.ts'
import { VERSION } from '../../version.ts'

/** The log of a process, as CAELUS_LOG_LEVEL and CAELUS_LOG_FORMAT say. @default to standard error */
export function openLog(
  { logLevel, logFormat }: Telemetry,
  scrub: Scrub,
  destination?: { write(line: string): unknown },
): Logger {
  const automatic = destination === undefined && process.stderr.isTTY ? 'pretty' : 'json'
  return makeLogger({
    level: logLevel,
    format: logFormat === 'auto' ? automatic : logFormat,
    scrub,
    ...(destination && { destination }),
  })
}

export const tracingServices = ({ otlpEndpoint, otelServiceName }: Telemetry): Service[] =>
  otlpEndpoint === undefined
    ? []
    : [tracing({ endpoint: otlpEndpoint, serviceName: otelServiceName, version: VERSION })]
