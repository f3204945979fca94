/** Multipart uploads by clients, with URLs that the service signed. */
import { randomBytes } from 'node:crypto'
import type { Timestamp } from '../../kernel/time.ts'
import type { MultipartUpload } from '../../platform/storage/multipart.ts'
import { assertBehavior, type CheckContext, type CompatibilityCheck } from './compatibility-check.ts'

/** S3's minimum size of all parts except the last. */
const PART_BYTES = 5 * 1024 ** 2
const LAST_BYTES = 1000
const VALIDITY_SECONDS = 600

const INCOMPATIBLE = 'Uploads are impossible without support for multipart uploads: use another storage service.'

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString() as Timestamp

const sign = ({ uploads }: CheckContext, upload: MultipartUpload, number: number, bytes: number) =>
  uploads.multipart.sign(upload, { number, bytes }, { from: ago(0), seconds: VALIDITY_SECONDS })

async function put(url: string, body: Uint8Array<ArrayBuffer>): Promise<number> {
  const response = await fetch(url, { method: 'PUT', body })
  await response.body?.cancel()
  return response.status
}

const isAccepted = (status: number) => status < 300

async function readAll({ uploads }: CheckContext, key: string, bytes: number): Promise<Buffer> {
  const stored = await uploads.findFirst(key, () => true)
  assertBehavior(stored?.bytes === bytes, `Storage has ${stored?.bytes} of ${bytes} bytes of a file.`)
  const whole = { start: 0, end: bytes }
  const chunks = await uploads.read(stored, whole, new AbortController().signal)
  return Buffer.concat(await Array.fromAsync(chunks))
}

/** Starts an upload with one small part. */
async function beginSmall(context: CheckContext, key: string) {
  const upload = await context.uploads.multipart.begin(key)
  const body = randomBytes(LAST_BYTES)
  const url = await sign(context, upload, 1, body.length)
  const status = await put(url, body)
  assertBehavior(isAccepted(status), `A part was refused with ${status}.`)
  return { upload, url, body }
}

const parts: CompatibilityCheck = {
  name: 'parts',
  requirement: 'required',
  hint: INCOMPATIBLE,
  run: async (context) => {
    const { multipart } = context.uploads
    const key = context.newKey('parts')
    const upload = await multipart.begin(key)
    const bodies = [randomBytes(PART_BYTES), randomBytes(LAST_BYTES)] as const
    for (const number of [2, 1] as const) {
      const body = bodies[number - 1] ?? bodies[0]
      const status = await put(await sign(context, upload, number, body.length), body)
      assertBehavior(isAccepted(status), `Part ${number} was refused with ${status}.`)
    }
    const listed = (await multipart.list(upload)) ?? []
    const summary = listed.map(({ number, bytes }) => `${number}:${bytes}`).join()
    assertBehavior(summary === `1:${PART_BYTES},2:${LAST_BYTES}`, 'The list of parts differs from what was sent.')
    await multipart.join(upload, listed)
    const whole = await readAll(context, key, PART_BYTES + LAST_BYTES)
    assertBehavior(whole.equals(Buffer.concat(bodies)), 'The joined object differs from the parts.')
    return 'Two parts were sent out of order, listed, joined and read as one object.'
  },
}

const partsFinal: CompatibilityCheck = {
  name: 'parts-final',
  requirement: 'required',
  needs: 'parts',
  hint: 'A client could replace a file after the upload. Use another storage service.',
  run: async (context) => {
    const { multipart } = context.uploads
    const key = context.newKey('final')
    const { upload, url, body } = await beginSmall(context, key)
    const listed = (await multipart.list(upload)) ?? []
    await multipart.join(upload, listed)
    const status = await put(url, randomBytes(LAST_BYTES))
    assertBehavior(!isAccepted(status), 'A part was accepted after its upload was completed.')
    // The service completes the upload again if the first response was lost.
    await multipart.join(upload, listed)
    const isSame = (await readAll(context, key, LAST_BYTES)).equals(body)
    assertBehavior(isSame, 'Completing the upload again changed the file.')
    return `A part after the completion is refused (${status}); completing again changes nothing.`
  },
}

const partsExpiry: CompatibilityCheck = {
  name: 'parts-expiry',
  requirement: 'required',
  needs: 'parts',
  hint: 'Upload sessions would never expire. Check the clock of storage; otherwise use another storage service.',
  run: async (context) => {
    const upload = await context.uploads.multipart.begin(context.newKey('expired'))
    const past = { from: ago(2 * VALIDITY_SECONDS), seconds: VALIDITY_SECONDS }
    const url = await context.uploads.multipart.sign(upload, { number: 1, bytes: LAST_BYTES }, past)
    const status = await put(url, randomBytes(LAST_BYTES))
    assertBehavior(!isAccepted(status), 'An expired URL is accepted.')
    return `An expired URL is refused (${status}).`
  },
}

const partsLength: CompatibilityCheck = {
  name: 'parts-length',
  requirement: 'optional',
  needs: 'parts',
  hint: 'Clients can send larger parts than allowed. They are never joined, but use space until their session ends: monitor the size of the uploads bucket.',
  run: async (context) => {
    const upload = await context.uploads.multipart.begin(context.newKey('length'))
    const url = await sign(context, upload, 1, LAST_BYTES)
    const status = await put(url, randomBytes(LAST_BYTES + 1))
    assertBehavior(!isAccepted(status), 'A part with more bytes than signed is accepted.')
    return `A part with more bytes than signed is refused (${status}).`
  },
}

const partsAbort: CompatibilityCheck = {
  name: 'parts-abort',
  requirement: 'required',
  needs: 'parts',
  hint: 'Incomplete uploads could never be deleted: use another storage service.',
  run: async (context) => {
    const { multipart } = context.uploads
    const prefix = context.newKey('aborted')
    const begun = [await beginSmall(context, `${prefix}/1`), await beginSmall(context, `${prefix}/2`)]
    await multipart.abortAll(`${prefix}/`)
    for (const { upload, url, body } of begun) {
      assertBehavior((await multipart.list(upload)) === undefined, 'Parts of an aborted upload still exist.')
      assertBehavior(!isAccepted(await put(url, body)), 'A part was accepted after its upload was aborted.')
    }
    return 'Uploads are listed by prefix and aborted; further parts are refused.'
  },
}

export const partChecks: readonly CompatibilityCheck[] = [...[parts, partsFinal, partsExpiry, partsAbort, partsLength]]
