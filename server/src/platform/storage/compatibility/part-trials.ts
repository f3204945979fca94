/** Files in parts, as callers send them: by addresses that the service has signed. */
import { randomBytes } from 'node:crypto'
import type { Timestamp } from '../../../kernel/time.ts'
import type { MultipartUpload } from '../multipart.ts'
import { assertSeen, type Bench, type Trial } from './trial.ts'

/** The smallest part that S3 takes before the last. */
const PART_BYTES = 5 * 1024 ** 2
const LAST_BYTES = 1000
const LIFE_SECONDS = 600

const UNFIT = 'No upload is possible without it: use another storage.'

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString() as Timestamp

const sign = ({ uploads }: Bench, upload: MultipartUpload, number: number, bytes: number) =>
  uploads.multipart.sign(upload, { number, bytes }, { from: ago(0), seconds: LIFE_SECONDS })

async function put(url: string, body: Uint8Array<ArrayBuffer>): Promise<number> {
  const answer = await fetch(url, { method: 'PUT', body })
  await answer.body?.cancel()
  return answer.status
}

const isTaken = (status: number) => status < 300

async function readAll({ uploads }: Bench, key: string, bytes: number): Promise<Buffer> {
  const stored = await uploads.findFirst(key, () => true)
  assertSeen(stored?.bytes === bytes, `Storage has ${stored?.bytes} bytes of a file of ${bytes}.`)
  const whole = { start: 0, end: bytes }
  const chunks = await uploads.read(stored, whole, new AbortController().signal)
  return Buffer.concat(await Array.fromAsync(chunks))
}

/** One small part, and where it was put. */
async function beginSmall(bench: Bench, key: string) {
  const upload = await bench.uploads.multipart.begin(key)
  const body = randomBytes(LAST_BYTES)
  const url = await sign(bench, upload, 1, body.length)
  const status = await put(url, body)
  assertSeen(isTaken(status), `A part was refused with ${status}.`)
  return { upload, url, body }
}

const parts: Trial = {
  name: 'parts',
  need: 'always',
  cure: UNFIT,
  attempt: async (bench) => {
    const { multipart } = bench.uploads
    const key = bench.newKey('parts')
    const upload = await multipart.begin(key)
    const bodies = [randomBytes(PART_BYTES), randomBytes(LAST_BYTES)] as const
    for (const number of [2, 1] as const) {
      const body = bodies[number - 1] ?? bodies[0]
      const status = await put(await sign(bench, upload, number, body.length), body)
      assertSeen(isTaken(status), `Part ${number} was refused with ${status}.`)
    }
    const listed = (await multipart.list(upload)) ?? []
    const told = listed.map(({ number, bytes }) => `${number}:${bytes}`).join()
    assertSeen(
      told === `1:${PART_BYTES},2:${LAST_BYTES}`,
      'The list of parts is not what was sent.',
    )
    await multipart.join(upload, listed)
    const whole = await readAll(bench, key, PART_BYTES + LAST_BYTES)
    assertSeen(whole.equals(Buffer.concat(bodies)), 'The parts were not joined as they were sent.')
    return 'Two parts were sent in any order, listed, joined and read as one.'
  },
}

const partsFinal: Trial = {
  name: 'parts-final',
  need: 'always',
  after: 'parts',
  cure: 'A file that was taken could be replaced by whoever sent it. Use another storage.',
  attempt: async (bench) => {
    const { multipart } = bench.uploads
    const key = bench.newKey('final')
    const { upload, url, body } = await beginSmall(bench, key)
    const listed = (await multipart.list(upload)) ?? []
    await multipart.join(upload, listed)
    const status = await put(url, randomBytes(LAST_BYTES))
    assertSeen(!isTaken(status), 'A part was taken after its file had been joined.')
    // The service joins again when the answer of the first time was lost.
    await multipart.join(upload, listed)
    const isSame = (await readAll(bench, key, LAST_BYTES)).equals(body)
    assertSeen(isSame, 'The file is another one after it was joined again.')
    return `A part that comes after its file was joined is refused (${status}); joining again changes nothing.`
  },
}

const partsExpiry: Trial = {
  name: 'parts-expiry',
  need: 'always',
  after: 'parts',
  cure: 'A session could be used for ever. See that the clock of storage is right; else use another storage.',
  attempt: async (bench) => {
    const upload = await bench.uploads.multipart.begin(bench.newKey('expired'))
    const past = { from: ago(2 * LIFE_SECONDS), seconds: LIFE_SECONDS }
    const url = await bench.uploads.multipart.sign(upload, { number: 1, bytes: LAST_BYTES }, past)
    const status = await put(url, randomBytes(LAST_BYTES))
    assertSeen(!isTaken(status), 'An address that has expired is taken.')
    return `An address that has expired is refused (${status}).`
  },
}

const partsLength: Trial = {
  name: 'parts-length',
  need: 'better',
  after: 'parts',
  cure: 'Callers can send larger parts than they were allowed. They are never joined, but take up room until their session ends: watch the size of the uploads bucket.',
  attempt: async (bench) => {
    const upload = await bench.uploads.multipart.begin(bench.newKey('length'))
    const url = await sign(bench, upload, 1, LAST_BYTES)
    const status = await put(url, randomBytes(LAST_BYTES + 1))
    assertSeen(!isTaken(status), 'A part with more bytes than were signed is taken.')
    return `A part with more bytes than were signed is refused (${status}).`
  },
}

const partsAbort: Trial = {
  name: 'parts-abort',
  need: 'always',
  after: 'parts',
  cure: 'What callers leave half sent could never be freed: use another storage.',
  attempt: async (bench) => {
    const { multipart } = bench.uploads
    const prefix = bench.newKey('aborted')
    const begun = [await beginSmall(bench, `${prefix}/1`), await beginSmall(bench, `${prefix}/2`)]
    await multipart.abortAll(`${prefix}/`)
    for (const { upload, url, body } of begun) {
      assertSeen(
        (await multipart.list(upload)) === undefined,
        'Parts that were given up are there.',
      )
      assertSeen(!isTaken(await put(url, body)), 'A part was taken after its upload was given up.')
    }
    return 'Uploads are found by their prefix and given up; then nothing is taken for them.'
  },
}

export const partTrials: readonly Trial[] = [
  ...[parts, partsFinal, partsExpiry, partsAbort, partsLength],
]
