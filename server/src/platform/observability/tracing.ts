/**
 * What belongs to one trace, and how long each piece of it took. A trace begins with a request; it
 * goes with what the request sets going: in the input of jobs, with upload sessions and with
 * events. What none led to is not traced, and then all of this costs nothing: there is no span to
 * be the parent of another.
 *
 * A span tells of names from our own code, of ids and of counts. Never of an address, a pass, a
 * token, or a word that somebody chose.
 */
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { readTraceparent, writeTraceparent } from './traceparent.ts'

export { type Span, SpanKind }

/** Kept by name of attribute. */
export type Facts = Attributes

/**
 * What is begun anew (a request) or goes on elsewhere (an attempt at a job, a delivery) has so many
 * spans beneath it, and no more: a job that frees a hundred videos asks storage thousands of
 * things. It tells how many were left out.
 */
export const SPANS_BENEATH_MAX = 64

type Room = { readonly of: Span; used: number }

const room = createContextKey('room for spans')

// Until tracing is opened, and if it never is, this makes nothing.
const tracer = trace.getTracer('reelkeep')

/** The span that is under way, if it is to be noted at all. */
function spanUnderWay(): Span | undefined {
  const span = trace.getActiveSpan()
  return span?.isRecording() ? span : undefined
}

/** Does the work as a piece of what is under way. */
export function traced<Result>(
  name: string,
  facts: Facts,
  work: () => Promise<Result>,
  kind = SpanKind.INTERNAL,
): Promise<Result> {
  return spanUnderWay() && takeRoom() ? inSpan(name, { kind, attributes: facts }, work) : work()
}

const withRoom = (within: Context, span: Span): Context =>
  trace.setSpan(within, span).setValue(room, { of: span, used: 0 } satisfies Room)

function takeRoom(): boolean {
  const taken = context.active().getValue(room) as Room | undefined
  if (!taken) return true
  taken.used += 1
  if (taken.used <= SPANS_BENEATH_MAX) return true
  // It may have ended: what is done for an answer goes on while that is read.
  if (taken.of.isRecording())
    taken.of.setAttribute('spans_left_out', taken.used - SPANS_BENEATH_MAX)
  return false
}

type Onward = {
  readonly name: string
  readonly facts: Facts
  readonly kind?: SpanKind
}

/**
 * Does the work as a piece of a trace that was left off elsewhere. Whatever is under way here and
 * is another trace is linked. With no trace to go on with, it is a piece of what is under way.
 */
export function continued<Result>(
  traceparent: string | null | undefined,
  { name, facts, kind = SpanKind.INTERNAL }: Onward,
  work: () => Promise<Result>,
): Promise<Result> {
  const from = readTraceparent(traceparent)
  if (!from) return traced(name, facts, work, kind)
  const here = spanUnderWay()?.spanContext()
  const links = here && here.traceId !== from.traceId ? [{ context: here }] : []
  // Our own note of it: whether it is to be traced was decided when it began.
  const parent = trace.setSpanContext(ROOT_CONTEXT, { ...from, isRemote: false })
  return context.with(parent, () =>
    inSpan(name, { kind, attributes: facts, links }, work, withRoom),
  )
}

/** Where what is set going now is to go on; undefined if it is not traced. */
export function traceparentHere(): string | undefined {
  const span = spanUnderWay()
  return span && writeTraceparent(span.spanContext())
}

/** For what lasts on, or is done for many at once: it is no piece of what happened to start it. */
export const untraced = <Result>(work: () => Result): Result => context.with(ROOT_CONTEXT, work)

/** Adds to the span that is under way. */
export const noteFacts = (facts: Facts): void => void spanUnderWay()?.setAttributes(facts)

/** For lines of the log. */
export function traceFacts(): { trace_id?: string } {
  const span = spanUnderWay()
  return span ? { trace_id: span.spanContext().traceId } : {}
}

/**
 * A request as a span, which may go on with its caller's trace. It is the caller's to end;
 * undefined if it is not to be noted.
 */
export function beginRequest(name: string, traceparent: unknown, facts: Facts): Span | undefined {
  const from = readTraceparent(traceparent)
  const parent = from
    ? trace.setSpanContext(ROOT_CONTEXT, { ...from, isRemote: true })
    : ROOT_CONTEXT
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: facts }, parent)
  return span.isRecording() ? span : undefined
}

/** Does the work as pieces of this span. */
export const within = <Result>(span: Span, work: () => Result): Result =>
  context.with(withRoom(ROOT_CONTEXT, span), work)

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
    // Its message may quote what somebody sent; the log tells it, to those who may read logs.
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
    endSpan(span, true)
    throw error
  }
}
