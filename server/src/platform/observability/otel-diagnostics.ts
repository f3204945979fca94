/** Writes OpenTelemetry's warnings to our log; otherwise a collector that fails would go unnoticed. */
import type { DiagLogger } from '@opentelemetry/api'
import type { Logger } from './logger.ts'

/** At most one warning is logged per this many seconds, because OpenTelemetry reports every failed batch. */
const LINE_SECONDS = 60
const MESSAGE_LENGTH_MAX = 200
const EXPORT_FAILED = 'failed to export traces to the collector'

export function diagLogger(
  logger: Pick<Logger, 'warn'>,
  nowSeconds: () => number = () => performance.now() / 1000,
): DiagLogger {
  let silentUntil = Number.NEGATIVE_INFINITY
  const report = (text: string) => {
    if (nowSeconds() < silentUntil) return
    silentUntil = nowSeconds() + LINE_SECONDS
    const cause = causeIn(text)
    logger.warn(cause ?? {}, cause ? EXPORT_FAILED : 'OpenTelemetry reported a problem')
  }
  const ignore = () => undefined
  return { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
}

/**
 * Returns the cause of an export error. Such an error is JSON with all its properties, possibly including the request:
 * only `code` and `message` are logged. Undefined for any other text.
 */
function causeIn(text: string): { code?: string; cause?: string } | undefined {
  try {
    const { code, message } = JSON.parse(text) as Record<string, unknown>
    return {
      ...(code !== undefined && { code: String(code) }),
      ...(message !== undefined && { cause: String(message).slice(0, MESSAGE_LENGTH_MAX) }),
    }
  } catch {
    return undefined
  }
}
