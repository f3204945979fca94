/** Against a server of our own that keeps to the public description of `POST /v1/audio/transcriptions`. */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sound } from '../recogniser.ts'
import { openAiCompatible } from './openai-compatible.ts'
import { quietCuts } from './quiet-cuts.ts'

type Asked = {
  readonly authorization: string | undefined
  readonly fields: Record<string, string>
  readonly seconds: number
}
type Answer = (asked: Asked, count: number, response: ServerResponse) => void

/** Reads the form as a real one does and answers as it is told to. */
async function openServer(answer: Answer) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void readForm(request).then((one) => {
      if (request.url !== '/v1/audio/transcriptions') return response.writeHead(404).end()
      asked.push(one)
      return answer(one, asked.length, response)
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

async function readForm(request: IncomingMessage): Promise<Asked> {
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
const heard = (text: string) => ({
  ...{ task: 'transcribe', language: 'german', duration: 1, text },
  segments: [{ id: 0, start: 1, end: 2, text, no_speech_prob: 0.01, avg_logprob: -0.2 }],
})

let directory: string
let sound: Sound
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'openai-compatible-'))
  sound = await tone(2)
})
afterAll(() => rm(directory, { recursive: true }))

/** A second of 440 Hz, which ends where it begins. */
const second = Buffer.from(
  Int16Array.from({ length: 16_000 }, (_, at) => 8000 * Math.sin((at / 16_000) * 440 * 2 * Math.PI))
    .buffer,
)

/** Loud, but for a little more than half a second that begins here. */
async function tone(seconds: number, quietAt?: number): Promise<Sound> {
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
const patient = { model: 'whisper-1', firstPauseSeconds: 0.01 }

describe('a server that answers', () => {
  it('is sent model, language and key, and its words are taken', async () => {
    await using server = await openServer((_, __, response) =>
      json(response, heard(' Guten Tag. ')),
    )
    const recogniser = openAiCompatible({ ...patient, url: server.url, key: 'secret' })
    const transcript = await recogniser.transcribe(sound, { signal: never, language: 'de-CH' })
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

  it('detects the language once; a long sound goes in pieces of ten minutes at most, cut where it is quiet', async () => {
    const long = await tone(1250, 595)
    await using server = await openServer((_, count, response) =>
      json(response, heard(`Teil ${count}`)),
    )
    const progress: number[] = []
    const transcript = await openAiCompatible({ ...patient, url: server.url }).transcribe(long, {
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
    expect(first + others.reduce((all, one) => all + one, 0)).toBeCloseTo(1250, 3)
    expect(transcript.phrases.map(({ startSeconds }) => startSeconds)[1]).toBeCloseTo(first + 1, 3)
    expect(progress.at(-1)).toBeCloseTo(1250, 3)
  })

  it('is not sent anything of a sound that has none', async () => {
    expect(await Array.fromAsync(quietCuts(await tone(0)))).toEqual([])
  })
})

describe('a server that does not', () => {
  const failureOf = async (url: string, more: object = {}, signal = never) => {
    const recogniser = openAiCompatible({ ...patient, url, ...more })
    return recogniser.transcribe(sound, { signal }).then(
      () => undefined,
      (error: { reason: string; message: string }) => ({
        reason: error.reason,
        message: error.message,
      }),
    )
  }

  it('is asked again after a failure that passes', async () => {
    await using server = await openServer((_, count, response) =>
      count < 3 ? json(response, { error: {} }, 503) : json(response, heard('Da.')),
    )
    const recogniser = openAiCompatible({ ...patient, url: server.url })
    const { phrases } = await recogniser.transcribe(sound, { signal: never })
    expect(phrases).toHaveLength(1)
    expect(server.asked).toHaveLength(3)
  })

  it('is unavailable if it stays away, after as many tries as there are', async () => {
    await using server = await openServer((_, __, response) => json(response, {}, 429))
    expect(await failureOf(server.url)).toMatchObject({ reason: 'unavailable' })
    expect(server.asked).toHaveLength(4)
    expect(await failureOf('http://127.0.0.1:1')).toMatchObject({
      ...{ reason: 'unavailable', message: 'The recogniser could not be reached' },
    })
  })

  it('refuses once, and what it said is told', async () => {
    const error = { message: 'Invalid file format.', type: 'invalid_request_error' }
    await using server = await openServer((_, __, response) => json(response, { error }, 400))
    const failure = await failureOf(server.url, { key: 'hunter2' })
    expect(failure?.reason).toBe('refused')
    expect(failure?.message).toContain('400: {"error":{"message":"Invalid file format."')
    expect(JSON.stringify(failure)).not.toContain('hunter2')
    expect(server.asked).toHaveLength(1)
  })

  it('answers something else than a transcript: that is a refusal, too', async () => {
    await using server = await openServer((_, __, response) => response.end('<html>'))
    expect(await failureOf(server.url)).toMatchObject({ reason: 'refused' })
  })

  it('hangs: it is given up after its time', async () => {
    await using server = await openServer(() => undefined)
    expect(await failureOf(server.url, { timeoutSeconds: 0.1 })).toMatchObject({
      ...{ reason: 'unavailable', message: 'The recogniser did not answer in 0.1 s' },
    })
    expect(server.asked).toHaveLength(4)
  })

  it('hangs: whoever calls it off does not wait', async () => {
    const caller = new AbortController()
    await using server = await openServer(() => caller.abort())
    expect(await failureOf(server.url, {}, caller.signal)).toMatchObject({ reason: 'aborted' })
  })

  it('stops in the middle of its answer', async () => {
    await using server = await openServer((_, __, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('{')
      setTimeout(() => response.destroy(), 10)
    })
    expect(await failureOf(server.url)).toMatchObject({ reason: 'unavailable' })
  })
})
