import type { SharedConfig } from '../../platform/config/env.ts'
import { openLogger } from '../../platform/observability/logger.ts'
import { version } from '../version.ts'

/** Service name, such as `reelkeep-api`, and instance. */
type Who = { readonly name: string; readonly instance: string }

/** Opens the trace export. Without a collector, nothing is traced and no tracing code is loaded. */
export async function openTracing(config: SharedConfig, who: Who): Promise<AsyncDisposable> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config
  if (endpoint === undefined) return { [Symbol.asyncDispose]: async () => {} }
  const { exportTraces } = await import('../../platform/observability/trace-export.ts')
  return exportTraces({
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    logger: openLogger(config.LOG_LEVEL),
    service: { ...who, version },
  })
}
