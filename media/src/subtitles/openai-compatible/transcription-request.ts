/**
 * One request to a transcription server. Does not use `fetch`, which times out after five minutes without a response: a
 * small machine needs longer for ten minutes of speech. The samples are streamed from the file.
 */
import { createReadStream } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { TranscriptionFailed } from '../transcription/transcriber.ts'
import type { AudioSegment } from './split-audio.ts'
import type { TranscriptionForm } from './transcription-form.ts'

/** Maximum size of a response. Ten minutes of text with times are a few hundred kilobytes. */
const RESPONSE_BYTES_MAX = 16 * 2 ** 20
/** Maximum length of a server's error message that is included in ours. */
const DETAIL_LENGTH_MAX = 300

export type TranscriptionRequest = {
  readonly url: URL
  readonly key: string | undefined
  readonly form: TranscriptionForm
  readonly path: string
  readonly segment: AudioSegment
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}

/** Sends a segment of audio and returns the body of the response. @throws TranscriptionFailed */
export async function sendSegment(options: TranscriptionRequest): Promise<string> {
  const timeout = AbortSignal.timeout(options.timeoutSeconds * 1000)
  try {
    const response = await exchange(options, AbortSignal.any([options.signal, timeout]))
    return textOf(response.status, response.text)
  } catch (error) {
    if (error instanceof TranscriptionFailed) throw error
    if (options.signal.aborted) {
      throw new TranscriptionFailed('aborted', 'The transcription was aborted', { cause: error })
    }

    const reason = timeout.aborted ? `did not respond within ${options.timeoutSeconds} s` : 'could not be reached'
    throw new TranscriptionFailed('unavailable', `The transcription server ${reason}`, {
      cause: error,
    })
  }
}

async function exchange(options: TranscriptionRequest, signal: AbortSignal) {
  const { form, segment } = options
  const bytes = form.head.length + segment.end - segment.start + form.tail.length
  const request = startRequest(options, bytes, signal)
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject)
  })
  // A server that refuses the request may close the connection early. Its response is still used.
  const sent = pipeline(bodyOf(options), request).catch((error: unknown) => error)
  const response = await answered
  const text = await readAll(response)
  request.destroy()
  await sent
  return { status: response.statusCode ?? 0, text }
}

function startRequest({ url, key, form }: TranscriptionRequest, bytes: number, signal: AbortSignal): ClientRequest {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return send(url, {
    method: 'POST',
    signal,
    headers: {
      'content-type': form.contentType,
      'content-length': bytes,
      accept: 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
  })
}

async function* bodyOf({ form, path, segment }: TranscriptionRequest) {
  yield form.head
  // The end of createReadStream is inclusive.
  yield* createReadStream(path, { start: segment.start, end: segment.end - 1 })
  yield form.tail
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    if (bytes > RESPONSE_BYTES_MAX) {
      throw new TranscriptionFailed('refused', 'The response of the transcription server is too large')
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the text of a 200 response. Throws `unavailable` for statuses worth a retry, `refused` for all others. */
function textOf(status: number, text: string): string {
  if (status === 200) return text
  const detail = text.replace(/\s+/g, ' ').slice(0, DETAIL_LENGTH_MAX)
  const isBusy = status >= 500 || status === 408 || status === 429
  throw new TranscriptionFailed(
    isBusy ? 'unavailable' : 'refused',
    `The transcription server responded with ${status}: ${detail}`,
  )
}
