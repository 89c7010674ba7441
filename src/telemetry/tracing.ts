import { context, SpanStatusCode, trace, type Span } from '@opentelemetry/api'
import { keyText, type Emitter, type KernelEvents, type Service } from '../kernel/index.ts'

export interface TracingOptions {
  readonly endpoint: string
  readonly serviceName: string
  readonly version: string
}

/**
 * Sends spans to an OTLP collector; stopping flushes the rest.
 *
 * The SDK is loaded only here: without an endpoint it costs nothing, and every span made through the API is a
 * no-op. Headers, timeouts and sampling come from the standard OTEL_ variables, which the SDK reads itself.
 */
export function tracing({ endpoint, serviceName, version }: TracingOptions): Service {
  let shutdown = (): Promise<void> => Promise.resolve()
  const ended = Promise.withResolvers<void>()
  return {
    name: 'tracing',
    done: ended.promise,
    async start() {
      const [
        { BatchSpanProcessor, TracerProvider },
        { OTLPTraceExporter },
        { resourceFromAttributes },
        { AsyncLocalStorageContextManager },
      ] = await Promise.all([
        import('@opentelemetry/sdk-trace'),
        import('@opentelemetry/exporter-trace-otlp-http'),
        import('@opentelemetry/resources'),
        import('@opentelemetry/context-async-hooks'),
      ])
      const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
      const provider = new TracerProvider({
        resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
        spanProcessors: [new BatchSpanProcessor({ exporter })],
      })
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
      trace.setGlobalTracerProvider(provider)
      shutdown = async () => {
        trace.disable()
        context.disable()
        await provider.shutdown()
      }
    },
    async stop() {
      await shutdown().catch(() => {})
      shutdown = () => Promise.resolve()
      ended.resolve()
    },
  }
}

/** One span per reconcile. */
export function traceKernel(kernel: Emitter<KernelEvents>): () => void {
  const tracer = trace.getTracer('caelus')
  const open = new Map<string, Span>()
  const nameOf = (controller: string, key: Parameters<typeof keyText>[0]): string => `${controller} ${keyText(key)}`
  const stop = [
    kernel.on('reconcile:start', ({ controller, key, attempt }) => {
      const attributes = { 'caelus.controller': controller, 'caelus.key': keyText(key), 'caelus.attempt': attempt }
      open.set(nameOf(controller, key), tracer.startSpan(`reconcile ${key.kind}`, { attributes }))
    }),
    kernel.on('reconcile:end', ({ controller, key, outcome, failure }) => {
      const name = nameOf(controller, key)
      const span = open.get(name)
      open.delete(name)
      span?.setAttribute('caelus.outcome', outcome)
      if (failure) span?.setStatus({ code: SpanStatusCode.ERROR, message: failure.code })
      span?.end()
    }),
  ]
  return () => stop.forEach((end) => end())
}
