import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tracingRequested } from './config.ts'

const spans = new WeakMap<FastifyRequest, Span>()

/**
 * OpenTelemetry, if the standard OTEL_* variables request it. The SDK is loaded only then: it costs memory and start-up
 * time.
 */
export async function startTracing(): Promise<(() => Promise<void>) | null> {
  if (!tracingRequested()) return null
  const [
    { BatchSpanProcessor, NodeTracerProvider },
    { OTLPTraceExporter },
    { defaultResource, detectResources, envDetector, resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'gatehouse' }))
    .merge(detectResources({ detectors: [envDetector] }))
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  return () => provider.shutdown()
}

/** One server span per request, named by its route; no-op when tracing is off. */
export function registerTracing(app: FastifyInstance): void {
  if (!tracingRequested()) return
  const tracer = trace.getTracer('gatehouse')
  app.addHook('onRequest', async (request) => {
    const route = request.routeOptions.url ?? 'unknown'
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'gatehouse.request_id': request.id,
    }
    spans.set(
      request,
      tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }),
    )
  })
  app.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
  })
}
