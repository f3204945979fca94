/** Sends spans to a collector, by OTLP over HTTP, in JSON. Loaded only where one is named. */
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
import { complainTo } from './trace-complaints.ts'

/** Spans that wait to be sent; beyond them they are dropped: a collector that is away must cost no memory. */
const WAITING_MAX = 4096
const SENT_TOGETHER_MAX = 512
const SEND_SECONDS = 2
const ANSWER_SECONDS_MAX = 5

export type ExportOptions = {
  /** What a collector's own address for spans is appended to. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Of the requests that begin a trace, and of those whose caller traces them. */
  readonly ratio: number
  readonly logger: Logger
  readonly service: { readonly name: string; readonly version: string; readonly instance: string }
}

/** From now on what is traced is sent; when disposed of, what waits is. */
export function exportTraces({
  endpoint,
  headers,
  ratio,
  logger,
  service,
}: ExportOptions): AsyncDisposable {
  diag.setLogger(complainTo(logger), DiagLogLevel.WARN)
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: ANSWER_SECONDS_MAX * 1000,
  })
  const some = new TraceIdRatioBasedSampler(ratio)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service.name,
      'service.version': service.version,
      'service.instance.id': service.instance,
    }),
    // A caller may say that it wants no trace, but not that we are to keep more of them than the operator wants.
    sampler: new ParentBasedSampler({ root: some, remoteParentSampled: some }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: WAITING_MAX,
        maxExportBatchSize: SENT_TOGETHER_MAX,
        scheduledDelayMillis: SEND_SECONDS * 1000,
        exportTimeoutMillis: ANSWER_SECONDS_MAX * 1000,
      }),
    ],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  return {
    // A collector that is away is no reason to stop badly.
    [Symbol.asyncDispose]: () => provider.shutdown().catch(() => {}),
  }
}
