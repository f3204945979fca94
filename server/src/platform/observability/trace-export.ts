/** Exports spans to a collector (OTLP over HTTP, JSON). Loaded only if a collector is configured. */
import { context, DiagLogLevel, diag, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from './logger.ts'
import { diagLogger } from './otel-diagnostics.ts'

/**
 * Maximum number of queued spans. Further spans are dropped, so that an unavailable collector does not use up memory.
 */
const QUEUED_SPANS_MAX = 4096
const BATCH_SPANS_MAX = 512
const EXPORT_INTERVAL_SECONDS = 2
const EXPORT_TIMEOUT_SECONDS = 5

export type ExportOptions = {
  /** Base URL of the collector; `/v1/traces` is appended. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Sampling ratio, for requests with and without a sampled parent. */
  readonly ratio: number
  readonly logger: Logger
  readonly service: { readonly name: string; readonly version: string; readonly instance: string }
}

/** Starts the export; disposing flushes the queued spans. */
export function exportTraces({ endpoint, headers, ratio, logger, service }: ExportOptions): AsyncDisposable {
  diag.setLogger(diagLogger(logger), DiagLogLevel.WARN)
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: EXPORT_TIMEOUT_SECONDS * 1000,
  })
  const sampler = new TraceIdRatioBasedSampler(ratio)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service.name,
      'service.version': service.version,
      'service.instance.id': service.instance,
    }),
    // A client may opt out of tracing, but not raise the sampling ratio.
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: QUEUED_SPANS_MAX,
        maxExportBatchSize: BATCH_SPANS_MAX,
        scheduledDelayMillis: EXPORT_INTERVAL_SECONDS * 1000,
        exportTimeoutMillis: EXPORT_TIMEOUT_SECONDS * 1000,
      }),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  return {
    // An unavailable collector must not fail the shutdown.
    [Symbol.asyncDispose]: () => provider.shutdown().catch(() => {}),
  }
}
