/**
 * Tracing. A trace begins with a request and continues in the work that the request causes: the trace context is
 * stored in job inputs, upload sessions and events. Without an active span no child spans are created, so
 * untraced work costs nothing.
 *
 * Span attributes contain names from our code, ids and counts. Never a URL, a token, or text from users.
 */
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'

export { type Span, SpanKind }

export type SpanAttributes = Attributes

/**
 * Maximum number of spans below a request, a job attempt or a delivery: a job that deletes a hundred videos sends
 * thousands of requests to storage. The attribute `spans_left_out` counts the omitted ones.
 */
export const CHILD_SPANS_MAX = 64

type SpanBudget = { readonly owner: Span; used: number }

const spanBudgetKey = createContextKey('span budget')

const propagator = new W3CTraceContextPropagator()

/** Returns the context of the span in the header. An invalid header is ignored and does not fail the request. */
const parentContext = (traceparent: unknown): Context =>
  propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter)

// The tracer creates no spans until the export of traces is started.
const tracer = trace.getTracer('reelkeep')

/** The active span, if it is sampled. */
function recordingSpan(): Span | undefined {
  const span = trace.getActiveSpan()
  return span?.isRecording() ? span : undefined
}

/** Runs `work` in a child span of the active span; without one, runs it untraced. */
export function traced<Result>(
  name: string,
  attributes: SpanAttributes,
  work: () => Promise<Result>,
  kind = SpanKind.INTERNAL,
): Promise<Result> {
  return recordingSpan() && takeFromBudget() ? inSpan(name, { kind, attributes }, work) : work()
}

const withBudget = (within: Context, span: Span): Context =>
  trace.setSpan(within, span).setValue(spanBudgetKey, { owner: span, used: 0 } satisfies SpanBudget)

function takeFromBudget(): boolean {
  const budget = context.active().getValue(spanBudgetKey) as SpanBudget | undefined
  if (!budget) return true
  budget.used += 1
  if (budget.used <= CHILD_SPANS_MAX) return true
  // The span of the request may have ended: work can continue while the client reads the response.
  if (budget.owner.isRecording()) budget.owner.setAttribute('spans_left_out', budget.used - CHILD_SPANS_MAX)
  return false
}

type ContinuedSpan = {
  readonly name: string
  readonly attributes: SpanAttributes
  readonly kind?: SpanKind
}

/**
 * Runs `work` in a span that continues the given trace; links the active span if it belongs to another trace.
 * Without a traceparent, runs it like `traced`.
 */
export function continueTrace<Result>(
  traceparent: string | null | undefined,
  { name, attributes, kind = SpanKind.INTERNAL }: ContinuedSpan,
  work: () => Promise<Result>,
): Promise<Result> {
  const from = trace.getSpanContext(parentContext(traceparent))
  if (!from) return traced(name, attributes, work, kind)
  const active = recordingSpan()?.spanContext()
  const links = active && active.traceId !== from.traceId ? [{ context: active }] : []
  // The parent span is not marked as remote, because the sampling decision was made when the trace began.
  const parent = trace.setSpanContext(ROOT_CONTEXT, { ...from, isRemote: false })
  return context.with(parent, () => inSpan(name, { kind, attributes, links }, work, withBudget))
}

/** The active span's traceparent, for work that continues later; undefined if untraced. */
export function currentTraceparent(): string | undefined {
  const headers: { traceparent?: string } = {}
  if (recordingSpan()) propagator.inject(context.active(), headers, defaultTextMapSetter)
  return headers.traceparent
}

/**
 * Runs long-running or shared work without the active trace, because it does not belong to the trace that started it.
 */
export const untraced = <Result>(work: () => Result): Result => context.with(ROOT_CONTEXT, work)

/** Adds attributes to the active span. */
export const addSpanAttributes = (attributes: SpanAttributes): void => void recordingSpan()?.setAttributes(attributes)
export function traceLogFields(): { trace_id?: string } {
  const span = recordingSpan()
  return span ? { trace_id: span.spanContext().traceId } : {}
}

/**
 * Starts the span of a request, which may continue the client's trace. The caller ends it. Undefined if it is
 * not sampled.
 */
export function beginRequest(name: string, traceparent: unknown, attributes: SpanAttributes): Span | undefined {
  const options = { kind: SpanKind.SERVER, attributes }
  const span = tracer.startSpan(name, options, parentContext(traceparent))
  return span.isRecording() ? span : undefined
}

/** Runs `work` with this span as the active one. */
export const within = <Result>(span: Span, work: () => Result): Result =>
  context.with(withBudget(ROOT_CONTEXT, span), work)

export function endSpan(span: Span, hasFailed: boolean): void {
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

async function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: () => Promise<Result>,
  enter: (from: Context, span: Span) => Context = trace.setSpan,
): Promise<Result> {
  const span = tracer.startSpan(name, options)
  try {
    const result = await context.with(enter(context.active(), span), work)
    endSpan(span, false)
    return result
  } catch (error) {
    // The error message is not added to the span, because it may contain user input.
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
    endSpan(span, true)
    throw error
  }
}
