/** W3C Trace Context header: `00-<trace>-<span>-<flags>`. */
import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api'

const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.{0,512})?$/

export const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`

/** Undefined if invalid: an invalid header does not fail a request. */
export function readTraceparent(text: unknown): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    (typeof text === 'string' && form.exec(text)) || []
  const spanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
  }
  return isSpanContextValid(spanContext) ? spanContext : undefined
}
