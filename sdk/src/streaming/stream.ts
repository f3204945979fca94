import type { Caller, QueryOf } from '../http/call.ts'
import { ConnectionError, ServerError, TimeoutError, unexpectedResponse } from '../http/errors.ts'
import { firstNumber } from '../http/first-number.ts'
import { atLeastRetryAfter, isTemporary, pause } from '../http/retry.ts'
import type { CallOptions } from '../http/settings.ts'
import type { ProgressEvent, ReelkeepEvent } from './event.ts'
import { FRAME_CHARACTERS_MAX, type Frame, parseFrames } from './sse.rules.ts'

/**
 * Time without data after which the connection counts as dead. The service sends a comment at least every 15 seconds.
 */
const IDLE_SECONDS_MAX = 60
const FIRST_PAUSE_SECONDS = 2
const PAUSE_SECONDS_MAX = 30
/** Maximum number of consecutive failed reconnects before the stream throws; they take about an hour. */
const RECONNECTS_MAX = 120

export type StreamOptions = Pick<CallOptions, 'signal' | 'timeoutSeconds'> & {
  /** Maximum number of consecutive failed reconnects (default 120, about an hour). */
  readonly retriesMax?: number | undefined
  /** Called each time the stream is connected and has received data, with the event number that it continues after. */
  readonly onOpen?: ((after: number | undefined) => void) | undefined
  /** Called each time the connection has ended and the stream is about to reconnect. */
  readonly onLost?: (() => void) | undefined
}

type Position = { lastId: string | undefined; pauseSeconds: number; failures: number }

export async function* streamEvents(
  { open }: Caller,
  query: QueryOf<'streamEvents'>,
  { onOpen, onLost, retriesMax, ...options }: StreamOptions = {},
): AsyncGenerator<ReelkeepEvent | ProgressEvent, void, undefined> {
  const reconnectsMax = firstNumber(retriesMax) ?? RECONNECTS_MAX
  const position: Position = { lastId: undefined, pauseSeconds: FIRST_PAUSE_SECONDS, failures: 0 }
  for (;;) {
    let pauseSeconds: number
    try {
      const headers = position.lastId === undefined ? {} : { 'last-event-id': position.lastId }
      const response = await open('streamEvents', { query }, { ...options, headers, retriesMax: 0 })
      yield* readEvents(response, position, { signal: options.signal, onOpen })
      pauseSeconds = reconnectDelay(position)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!isTemporary(error) || position.failures >= reconnectsMax) throw error
      pauseSeconds = atLeastRetryAfter(reconnectDelay(position), error)
    }
    onLost?.()
    await pause(pauseSeconds, options.signal)
    position.failures++
  }
}

/** Advances the position before it yields an event, so that a reconnect does not repeat the event. */
async function* readEvents(
  response: Response,
  position: Position,
  { signal, onOpen }: Pick<StreamOptions, 'signal' | 'onOpen'>,
): AsyncGenerator<ReelkeepEvent | ProgressEvent, void, undefined> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    throw new ServerError(unexpectedResponse(response))
  }
  let isFirst = true
  for await (const { id, data, retrySeconds } of readFrames(response, signal)) {
    if (isFirst) onOpen?.(numberOf((data === undefined && id) || position.lastId))
    isFirst = false
    position.failures = 0
    position.lastId = id || position.lastId
    position.pauseSeconds = retrySeconds || position.pauseSeconds
    if (data !== undefined) yield parseEvent(data, response)
  }
  // A response that ends without sending anything counts as a failed connection.
  if (isFirst) throw new ConnectionError('The event stream ended before it sent anything.')
}

const numberOf = (id: string | undefined) => (id === undefined ? undefined : Number(id))

function parseEvent(data: string, response: Response): ReelkeepEvent | ProgressEvent {
  try {
    return JSON.parse(data)
  } catch {
    throw new ServerError(unexpectedResponse(response))
  }
}

async function* readFrames(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame, void, undefined> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await readChunk(reader, signal)
      if (done) return
      const found = parseFrames(rest + decoder.decode(value, { stream: true }))
      rest = found.rest
      yield* found.frames
      if (rest.length > FRAME_CHARACTERS_MAX) throw new ConnectionError('The response is not a Reelkeep event stream.')
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Reads the next chunk. Throws if none arrives in time, or if the signal is aborted. */
function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Awaited<ReturnType<typeof reader.read>>> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason)
    const silent = () => reject(new TimeoutError('The event stream sent nothing for too long.'))
    const timer = setTimeout(silent, IDLE_SECONDS_MAX * 1000)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    const lost = (cause: unknown) => reject(new ConnectionError('The event stream was disconnected.', { cause }))
    reader
      .read()
      .then(resolve, lost)
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
      })
  })
}

/** Delay that doubles with every consecutive failure, with jitter. */
const reconnectDelay = ({ pauseSeconds, failures }: Position) =>
  Math.min(pauseSeconds * 2 ** failures, PAUSE_SECONDS_MAX) * (0.5 + Math.random() / 2)
