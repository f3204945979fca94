/** Tests with a server that implements the public description of `POST /v1/audio/transcriptions`. */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AudioFile } from '../transcription/transcriber.ts'
import { openAiCompatible } from './openai-compatible.ts'
import { splitAudio } from './split-audio.ts'

type ReceivedRequest = {
  readonly authorization: string | undefined
  readonly fields: Record<string, string>
  readonly seconds: number
}
type Responder = (received: ReceivedRequest, count: number, response: ServerResponse) => void

/** Starts a transcription server that parses the form as a real one does, and responds with `answer`. */
async function openServer(answer: Responder) {
  const asked: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    void readForm(request).then((received) => {
      if (request.url !== '/v1/audio/transcriptions') return response.writeHead(404).end()
      asked.push(received)
      return answer(received, asked.length, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close').catch(() => undefined)
    },
  }
}

async function readForm(request: IncomingMessage): Promise<ReceivedRequest> {
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(body, { headers }).formData()
  const file = form.get('file') as File
  const fields = [...form].filter(([name]) => name !== 'file')
  return {
    authorization: request.headers.authorization,
    fields: Object.fromEntries(fields.map(([name, value]) => [name, String(value)])),
    seconds: (file.size - 44) / 32_000,
  }
}

const json = (response: ServerResponse, body: object, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const transcriptOf = (text: string) => ({
  ...{ task: 'transcribe', language: 'german', duration: 1, text },
  segments: [{ id: 0, start: 1, end: 2, text, no_speech_prob: 0.01, avg_logprob: -0.2 }],
})

let directory: string
let audio: AudioFile
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'openai-compatible-'))
  audio = await tone(2)
})
afterAll(() => rm(directory, { recursive: true }))

/** One second of 440 Hz; the phase at its end equals that at its start. */
const second = Buffer.from(
  Int16Array.from({ length: 16_000 }, (_, at) => 8000 * Math.sin((at / 16_000) * 440 * 2 * Math.PI)).buffer,
)

/** A loud tone, except for 0.6 seconds of silence. */
async function tone(seconds: number, quietAt?: number): Promise<AudioFile> {
  const samples = Buffer.alloc(seconds * second.length, second)
  if (quietAt !== undefined) {
    const start = quietAt * second.length
    samples.fill(0, start, start + 0.6 * second.length)
  }
  const path = join(directory, `${seconds}-${quietAt}.s16le`)
  await writeFile(path, samples)
  return { path, seconds }
}

const { signal: never } = new AbortController()
const clientOptions = { model: 'whisper-1', firstPauseSeconds: 0.01 }

describe('a transcription server that responds', () => {
  it('receives the model, the language and the key, and its transcript is returned', async () => {
    await using server = await openServer((_, __, response) => json(response, transcriptOf(' Guten Tag. ')))
    const transcriber = openAiCompatible({ ...clientOptions, url: server.url, key: 'secret' })
    const transcript = await transcriber.transcribe(audio, { signal: never, language: 'de-CH' })
    expect(transcript).toEqual({
      language: 'de-CH',
      phrases: [{ startSeconds: 1, endSeconds: 2, text: 'Guten Tag.' }],
    })
    expect(server.asked).toEqual([
      {
        authorization: 'Bearer secret',
        fields: { model: 'whisper-1', response_format: 'verbose_json', language: 'de' },
        seconds: 2,
      },
    ])
  })

  it('receives long audio in segments of at most ten minutes, cut at quiet places, and detects the language once', async () => {
    const long = await tone(1250, 595)
    await using server = await openServer((_, count, response) => json(response, transcriptOf(`Teil ${count}`)))
    const progress: number[] = []
    const transcript = await openAiCompatible({ ...clientOptions, url: server.url }).transcribe(long, {
      signal: never,
      onProgress: (seconds) => progress.push(seconds),
    })
    expect(transcript.language).toBe('de')
    expect(server.asked.map(({ fields }) => fields['language'])).toEqual([undefined, 'de', 'de'])
    expect(server.asked.map(({ authorization }) => authorization)).toEqual(Array(3).fill(undefined))
    const [first = 0, ...others] = server.asked.map(({ seconds }) => seconds)
    expect(first).toBeGreaterThan(595)
    expect(first).toBeLessThan(595.6)
    expect(Math.max(...others)).toBeLessThanOrEqual(600)
    expect(first + others.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(1250, 3)
    expect(transcript.phrases.map(({ startSeconds }) => startSeconds)[1]).toBeCloseTo(first + 1, 3)
    expect(progress.at(-1)).toBeCloseTo(1250, 3)
  })

  it('receives no request for empty audio', async () => {
    expect(await Array.fromAsync(splitAudio(await tone(0)))).toEqual([])
  })
})

describe('a transcription server that fails', () => {
  const failureOf = async (url: string, more: object = {}, signal = never) => {
    const transcriber = openAiCompatible({ ...clientOptions, url, ...more })
    return transcriber.transcribe(audio, { signal }).then(
      () => undefined,
      (error: { reason: string; message: string }) => ({
        reason: error.reason,
        message: error.message,
      }),
    )
  }

  it('receives the request again after a temporary failure', async () => {
    await using server = await openServer((_, count, response) =>
      count < 3 ? json(response, { error: {} }, 503) : json(response, transcriptOf('Da.')),
    )
    const transcriber = openAiCompatible({ ...clientOptions, url: server.url })
    const { phrases } = await transcriber.transcribe(audio, { signal: never })
    expect(phrases).toHaveLength(1)
    expect(server.asked).toHaveLength(3)
  })

  it('is reported as unavailable after all retries', async () => {
    await using server = await openServer((_, __, response) => json(response, {}, 429))
    expect(await failureOf(server.url)).toMatchObject({ reason: 'unavailable' })
    expect(server.asked).toHaveLength(4)
    expect(await failureOf('http://127.0.0.1:1')).toMatchObject({
      ...{ reason: 'unavailable', message: 'The transcription server could not be reached' },
    })
  })

  it('receives no retry after a refusal, and its error message is reported', async () => {
    const error = { message: 'Invalid file format.', type: 'invalid_request_error' }
    await using server = await openServer((_, __, response) => json(response, { error }, 400))
    const failure = await failureOf(server.url, { key: 'hunter2' })
    expect(failure?.reason).toBe('refused')
    expect(failure?.message).toContain('400: {"error":{"message":"Invalid file format."')
    expect(JSON.stringify(failure)).not.toContain('hunter2')
    expect(server.asked).toHaveLength(1)
  })

  it('is reported as refused if its response is not a transcript', async () => {
    await using server = await openServer((_, __, response) => response.end('<html>'))
    expect(await failureOf(server.url)).toMatchObject({ reason: 'refused' })
  })

  it('is reported as unavailable after a timeout', async () => {
    await using server = await openServer(() => undefined)
    expect(await failureOf(server.url, { timeoutSeconds: 0.1 })).toMatchObject({
      ...{
        reason: 'unavailable',
        message: 'The transcription server did not respond within 0.1 s',
      },
    })
    expect(server.asked).toHaveLength(4)
  })

  it('does not delay an abort of the transcription', async () => {
    const controller = new AbortController()
    await using server = await openServer(() => controller.abort())
    expect(await failureOf(server.url, {}, controller.signal)).toMatchObject({ reason: 'aborted' })
  })

  it('is reported as unavailable if its response is incomplete', async () => {
    await using server = await openServer((_, __, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('{')
      setTimeout(() => response.destroy(), 10)
    })
    expect(await failureOf(server.url)).toMatchObject({ reason: 'unavailable' })
  })
})
