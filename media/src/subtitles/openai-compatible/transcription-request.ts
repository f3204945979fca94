/**
 * One request to a transcription server. Not `fetch`, which gives up after five minutes without an
 * answer: ten minutes of speech take a small machine longer than that. The samples go from the file
 * to the server without lying in memory.
 */
import { createReadStream } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { RecognitionFailed } from '../recogniser.ts'
import type { SoundPiece } from './quiet-cuts.ts'
import type { TranscriptionForm } from './transcription-form.ts'

/** The words of ten minutes, with the times of each, are a few hundred kilobytes. */
const ANSWER_BYTES_MAX = 16 * 2 ** 20
/** Of an answer that is no transcript: enough to see why. */
const TOLD_LENGTH_MAX = 300

export type TranscriptionRequest = {
  readonly url: URL
  readonly key: string | undefined
  readonly form: TranscriptionForm
  readonly path: string
  readonly piece: SoundPiece
  readonly timeoutSeconds: number
  readonly signal: AbortSignal
}

/** The text of the answer. @throws RecognitionFailed */
export async function sendPiece(wish: TranscriptionRequest): Promise<string> {
  const timeout = AbortSignal.timeout(wish.timeoutSeconds * 1000)
  try {
    const answer = await exchange(wish, AbortSignal.any([wish.signal, timeout]))
    return textOf(answer.status, answer.text)
  } catch (error) {
    if (error instanceof RecognitionFailed) throw error
    if (wish.signal.aborted) {
      throw new RecognitionFailed('aborted', 'The recognition was called off', { cause: error })
    }
    const why = timeout.aborted
      ? `did not answer in ${wish.timeoutSeconds} s`
      : 'could not be reached'
    throw new RecognitionFailed('unavailable', `The recogniser ${why}`, { cause: error })
  }
}

async function exchange(wish: TranscriptionRequest, signal: AbortSignal) {
  const { form, piece } = wish
  const bytes = form.head.length + piece.end - piece.start + form.tail.length
  const request = begin(wish, bytes, signal)
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject)
  })
  // A server that refuses may close before it has read everything: what it said counts.
  const sent = pipeline(bodyOf(wish), request).catch((error: unknown) => error)
  const response = await answered
  const text = await readAll(response)
  request.destroy()
  await sent
  return { status: response.statusCode ?? 0, text }
}

function begin(
  { url, key, form }: TranscriptionRequest,
  bytes: number,
  signal: AbortSignal,
): ClientRequest {
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

async function* bodyOf({ form, path, piece }: TranscriptionRequest) {
  yield form.head
  // Node counts the last byte in.
  yield* createReadStream(path, { start: piece.start, end: piece.end - 1 })
  yield form.tail
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    if (bytes > ANSWER_BYTES_MAX) {
      throw new RecognitionFailed('refused', 'The recogniser answered more than is read')
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Told apart: what may go better another time, and what will not. */
function textOf(status: number, text: string): string {
  if (status === 200) return text
  const told = text.replace(/\s+/g, ' ').slice(0, TOLD_LENGTH_MAX)
  const isBusy = status >= 500 || status === 408 || status === 429
  throw new RecognitionFailed(
    isBusy ? 'unavailable' : 'refused',
    `The recogniser answered ${status}: ${told}`,
  )
}
