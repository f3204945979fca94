import type { Caller, QueryOf } from '../http/call.ts'
import { ConnectionError, ServerError, TimeoutError, unexpected } from '../http/errors.ts'
import { atLeastAsked, isPassing, pause } from '../http/pauses.ts'
import { said } from '../http/said.ts'
import type { CallOptions } from '../http/settings.ts'
import type { ProgressEvent, ReelkeepEvent } from './event.ts'
import { FRAME_CHARACTERS_MAX, type Frame, framesIn } from './sse.rules.ts'

/** A comment comes at least every 15 seconds: who hears nothing for so long listens to a dead line. */
const SILENCE_SECONDS_MAX = 60
const FIRST_PAUSE_SECONDS = 2
const PAUSE_SECONDS_MAX = 30
/** In a row, without a word in between: about an hour. */
const RECONNECTS_MAX = 120

export type StreamOptions = Pick<CallOptions, 'signal' | 'timeoutSeconds'> & {
  /** How often in a row it tries to come back before it throws: 120 unless told, which is about an hour. */
  readonly retriesMax?: number | undefined
  /** Called each time that it is connected and something has been heard. */
  readonly onOpen?: (() => void) | undefined
}

type Place = { lastId: string | undefined; pauseSeconds: number; failures: number }

export async function* followedEvents(
  { open }: Caller,
  query: QueryOf<'streamEvents'>,
  { onOpen, retriesMax, ...options }: StreamOptions = {},
): AsyncGenerator<ReelkeepEvent | ProgressEvent, void, undefined> {
  const reconnectsMax = said(retriesMax) ?? RECONNECTS_MAX
  const place: Place = { lastId: undefined, pauseSeconds: FIRST_PAUSE_SECONDS, failures: 0 }
  for (;;) {
    let pauseSeconds: number
    try {
      const headers = place.lastId === undefined ? {} : { 'last-event-id': place.lastId }
      const answer = await open('streamEvents', { query }, { ...options, headers, retriesMax: 0 })
      yield* eventsIn(answer, place, { signal: options.signal, onOpen })
      pauseSeconds = pauseBefore(place)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!isPassing(error) || place.failures >= reconnectsMax) throw error
      pauseSeconds = atLeastAsked(pauseBefore(place), error)
    }
    await pause(pauseSeconds, options.signal)
    place.failures++
  }
}

/** The place moves on before an event is handed out: whoever takes it has it. */
async function* eventsIn(
  answer: Response,
  place: Place,
  { signal, onOpen }: Pick<StreamOptions, 'signal' | 'onOpen'>,
): AsyncGenerator<ReelkeepEvent | ProgressEvent, void, undefined> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    await answer.body?.cancel()
    throw new ServerError(unexpected(answer))
  }
  let isFirst = true
  for await (const { id, data, retrySeconds } of framesOf(answer, signal)) {
    if (isFirst) onOpen?.()
    isFirst = false
    place.failures = 0
    place.lastId = id || place.lastId
    place.pauseSeconds = retrySeconds || place.pauseSeconds
    if (data !== undefined) yield eventIn(data, answer)
  }
  // What never says a word is no stream, however politely it ends.
  if (isFirst) throw new ConnectionError('The stream of events ended before it began.')
}

function eventIn(data: string, answer: Response): ReelkeepEvent | ProgressEvent {
  try {
    return JSON.parse(data)
  } catch {
    throw new ServerError(unexpected(answer))
  }
}

async function* framesOf(
  answer: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame, void, undefined> {
  const reader = answer.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await heard(reader, signal)
      if (done) return
      const found = framesIn(rest + decoder.decode(value, { stream: true }))
      rest = found.rest
      yield* found.frames
      if (rest.length > FRAME_CHARACTERS_MAX)
        throw new ConnectionError('The stream of events is not one of Reelkeep.')
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** The next piece; throws if none comes for too long, or the signal is aborted meanwhile. */
function heard(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Awaited<ReturnType<typeof reader.read>>> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason)
    const silent = () => reject(new TimeoutError('The stream of events has gone silent.'))
    const timer = setTimeout(silent, SILENCE_SECONDS_MAX * 1000)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    const lost = (cause: unknown) =>
      reject(new ConnectionError('The stream of events was cut off.', { cause }))
    reader
      .read()
      .then(resolve, lost)
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
      })
  })
}

/** At once is soon enough after a stream that worked; ever longer while there is none. */
const pauseBefore = ({ pauseSeconds, failures }: Place) =>
  Math.min(pauseSeconds * 2 ** failures, PAUSE_SECONDS_MAX) * (0.5 + Math.random() / 2)
