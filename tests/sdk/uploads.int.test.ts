/** Tests `uploads.send` and `uploads.resume` against the real service and storage, with connection errors. */
import { appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { partsOnlyRule } from '@reelkeep/testkit'
import { InProcessApi } from '@reelkeep/testkit/in-process-api'
import { opened } from '@reelkeep/testkit/vitest'
import {
  ConflictError,
  ConnectionError,
  FileChangedError,
  FileError,
  type NewUploadSession,
  Reelkeep,
  StorageError,
  type UploadOptions,
  type UploadPause,
} from 'reelkeep'
import { beforeEach, describe, expect, it } from 'vitest'
import { openUploadFixture } from './upload-fixture.ts'

const MEBIBYTE = 1024 ** 2
const PART_BYTES = 16 * MEBIBYTE
/** A file size slightly over the limit for a form: three parts, the last of which is small. */
const LARGE_BYTES = 2 * PART_BYTES + 12_345
/** Maximum size of request headers and form fields other than the file. */
const HEADERS_BYTES_MAX = 64 * 1024

const fixture = await opened(openUploadFixture())
const { client, storageProxy, apiProxy } = fixture
const input = { resolutions: ['360p' as const] }

beforeEach(() => fixture.reset())

/** Upload options whose callbacks record the reported progress, pauses and session. */
function recordingOptions(options: UploadOptions = {}) {
  const reported = { progress: [] as number[], pauses: [] as UploadPause[], uuid: '' }
  const all: UploadOptions = {
    ...options,
    onProgress: (progress) => {
      reported.progress.push(progress.sentBytes)
      options.onProgress?.(progress)
    },
    onPause: (pause) => {
      reported.pauses.push(pause)
      options.onPause?.(pause)
    },
    onSession: (session: NewUploadSession) => {
      reported.uuid = session.upload_session.uuid
      return options.onSession?.(session)
    },
  }
  return { reported, options: all }
}

function expectSteady(progress: readonly number[], totalBytes: number) {
  expect(progress.length).toBeGreaterThan(1)
  expect(progress).toEqual(progress.toSorted((one, other) => one - other))
  expect(progress.at(-1)).toBe(totalBytes)
}

const expectStored = async (assetId: string, content: Buffer) =>
  expect((await fixture.stored(assetId)).equals(content)).toBe(true)

/** Starts an upload and aborts it after this many bytes. */
async function interrupt(path: string, bytes: number, more: UploadOptions = {}): Promise<string> {
  const dropping = new AbortController()
  const reason = new Error('dropped')
  const { reported, options } = recordingOptions({
    ...more,
    signal: dropping.signal,
    partsAtOnce: 1,
    onProgress: ({ sentBytes }) => sentBytes >= bytes && dropping.abort(reason),
  })
  await expect(client.uploads.send(path, input, options)).rejects.toBe(reason)
  return reported.uuid
}

describe('a small file', () => {
  it('is sent with the form, once, with the file name as title', async () => {
    const { path, content } = fixture.newFile('Lecture 1.final.mp4', 3 * MEBIBYTE)
    const { reported, options } = recordingOptions()
    const asset = await client.uploads.send(path, input, options)
    expect(asset).toMatchObject({ title: 'Lecture 1.final', bytes: content.length })
    expect(asset.video.status).not.toBe('Not Started')
    await expectStored(asset.id, content)
    expectSteady(reported.progress, content.length)
    expect(fixture.storageRequests.requests.map(({ method }) => method)).toEqual(['POST'])
    expect(storageProxy.upstreamBytes).toBeLessThan(content.length + HEADERS_BYTES_MAX)
  })

  it('can be a Blob, which needs a title', async () => {
    const content = Buffer.from('a file of thirty-two whole bytes')
    const blob = new Blob([content])
    await expect(client.uploads.send(blob, input)).rejects.toThrow('pass a `title`')
    const asset = await client.uploads.send(blob, { ...input, title: 'From memory' })
    expect(asset).toMatchObject({ title: 'From memory', bytes: 32 })
    await expectStored(asset.id, content)
  })

  it('is not sent again when only the response of storage was lost', async () => {
    const { path, content } = fixture.newFile('lost-response.mp4', 2 * MEBIBYTE)
    fixture.dropResponses(1)
    const asset = await client.uploads.send(path, input)
    await expectStored(asset.id, content)
    expect(storageProxy.upstreamBytes).toBeLessThan(content.length + HEADERS_BYTES_MAX)
  })

  it.each([
    ['the form is interrupted', () => fixture.disconnectAt(20 * MEBIBYTE, 0.2)],
    [
      'storage does not support forms',
      () => {
        fixture.storageRequests.rules = [partsOnlyRule]
      },
    ],
  ])('is sent in parts when %s', async (_, plan) => {
    const { path, content } = fixture.newFile('in-parts.mp4', 31 * MEBIBYTE)
    const { reported, options } = recordingOptions()
    plan()
    const asset = await client.uploads.send(path, input, options)
    await expectStored(asset.id, content)
    expectSteady(reported.progress, content.length)
    const methods = fixture.storageRequests.requests.map(({ method }) => method)
    expect(methods.filter((method) => method === 'PUT')).toHaveLength(2)
  })
})

describe('the upload of a larger file', () => {
  it.each(['path', 'Blob'])('sends the file in parts if it is passed as a %s', async (kind) => {
    const { path, content } = fixture.newFile('large.mp4', LARGE_BYTES)
    const { reported, options } = recordingOptions()
    const file = kind === 'path' ? path : new File([content], 'large.mp4')
    const asset = await client.uploads.send(file, input, options)
    expect(asset).toMatchObject({ title: 'large', bytes: LARGE_BYTES })
    await expectStored(asset.id, content)
    expectSteady(reported.progress, LARGE_BYTES)
    expect(fixture.storageRequests.requests.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT'])
    expect(reported.pauses).toEqual([])
  })

  it('survives three disconnects, and sends only the parts in flight again', async () => {
    const { path, content } = fixture.newFile('cut.mp4', LARGE_BYTES)
    const { reported, options } = recordingOptions({ partsAtOnce: 2 })
    for (const mebibytes of [10, 20, 30]) fixture.disconnectAt(mebibytes * MEBIBYTE, 0.7)
    const asset = await client.uploads.send(path, input, options)
    expect(storageProxy.rules).toEqual([])
    await expectStored(asset.id, content)
    expectSteady(reported.progress, LARGE_BYTES)
    const again = storageProxy.upstreamBytes - LARGE_BYTES
    expect(again).toBeGreaterThan(0)
    expect(again).toBeLessThan(3 * 2 * PART_BYTES + HEADERS_BYTES_MAX)
    expect(reported.pauses[0]?.reason).toBeInstanceOf(ConnectionError)
  })

  it('survives an outage of the service that lasts longer than the retries of a single request', async () => {
    const { path, content } = fixture.newFile('away.mp4', LARGE_BYTES)
    const { reported, options } = recordingOptions({
      partsAtOnce: 1,
      onSession: () => apiProxy.disable(),
      onPause: () => reported.pauses.length === 3 && apiProxy.enable(),
    })
    const asset = await client.uploads.send(path, input, options)
    await expectStored(asset.id, content)
    expect(reported.pauses.length).toBeGreaterThanOrEqual(3)
  })

  it('does not send a part again when only the response of storage was lost', async () => {
    const { path, content } = fixture.newFile('lost-responses.mp4', LARGE_BYTES)
    fixture.dropResponses(2)
    const asset = await client.uploads.send(path, input, { partsAtOnce: 1 })
    await expectStored(asset.id, content)
    expect(storageProxy.upstreamBytes).toBeLessThan(LARGE_BYTES + HEADERS_BYTES_MAX)
  })

  it('sends a corrupted part again', async () => {
    const { path, content } = fixture.newFile('damaged.mp4', LARGE_BYTES)
    const { reported, options } = recordingOptions({ partsAtOnce: 1 })
    fixture.corruptAt(20 * MEBIBYTE)
    const asset = await client.uploads.send(path, input, options)
    await expectStored(asset.id, content)
    expect(reported.pauses).toMatchObject([{ reason: { code: 'BadDigest' } }])
  })

  it('times out and retries when there is no progress', async () => {
    const { path, content } = fixture.newFile('stalled.mp4', LARGE_BYTES)
    const { reported, options } = recordingOptions({ timeoutSeconds: 2, partsAtOnce: 1 })
    // Stalls in the small last part. The SDK adds one second to the timeout for the bytes in flight.
    fixture.stallAt(2 * PART_BYTES + 6 * 1024)
    const asset = await client.uploads.send(path, input, options)
    await expectStored(asset.id, content)
    // A busy machine may cause other pauses.
    expect(reported.pauses.map(({ reason }) => reason.message)).toContainEqual(
      expect.stringMatching(/made no progress for 3 seconds/),
    )
  })

  it('renews its session when it expires', async () => {
    const { path, content } = fixture.newFile('long.mp4', LARGE_BYTES)
    const expiring: Promise<unknown>[] = []
    const { reported, options } = recordingOptions({
      partsAtOnce: 1,
      onProgress: ({ sentBytes }) => {
        if (expiring.length === 0 && sentBytes > MEBIBYTE) expiring.push(fixture.expireSession(reported.uuid))
      },
    })
    const asset = await client.uploads.send(path, input, options)
    expect(expiring).toHaveLength(1)
    await expectStored(asset.id, content)
  })

  it('fails with FileChangedError when the file changes during the upload', async () => {
    const { path } = fixture.newFile('growing.mp4', LARGE_BYTES)
    let hasGrown = false
    const onProgress = () => {
      if (!hasGrown) appendFileSync(path, 'more')
      hasGrown = true
    }
    const sending = client.uploads.send(path, input, { onProgress, partsAtOnce: 1 })
    await expect(sending).rejects.toThrow(FileChangedError)
    await expect(sending).rejects.toThrow(`had ${LARGE_BYTES} bytes and now has ${LARGE_BYTES + 4} during the upload`)
    // The upload stops after its first part.
    expect(fixture.storageRequests.requests).toHaveLength(1)
  })

  it('fails when there is no progress for too long', async () => {
    const { path } = fixture.newFile('given-up.mp4', LARGE_BYTES)
    fixture.disconnectAt(MEBIBYTE, 3600)
    const sending = client.uploads.send(path, input, { retryForSeconds: 1 })
    await expect(sending).rejects.toThrow(ConnectionError)
  })
})

describe('a token with only assets:write', () => {
  it.each([
    ['with the form', MEBIBYTE],
    ['in parts, with a disconnect', LARGE_BYTES],
  ])('can upload a file %s', async (_, bytes) => {
    const writer = await fixture.newClient('assets:write')
    const { path } = fixture.newFile('written.mp4', bytes)
    const { reported, options } = recordingOptions()
    if (bytes === LARGE_BYTES) fixture.disconnectAt(20 * MEBIBYTE, 0.1)
    const asset = await writer.uploads.send(path, input, options)
    expect(asset).toMatchObject({ title: 'written', bytes })
    expectSteady(reported.progress, bytes)
  })
})

describe('an aborted signal', () => {
  const reason = new Error('enough')

  it('stops the upload of all parts and closes their connections', async () => {
    const { path } = fixture.newFile('aborted.mp4', LARGE_BYTES)
    const aborting = new AbortController()
    const { reported, options } = recordingOptions({
      signal: aborting.signal,
      onProgress: ({ sentBytes }) => sentBytes > 4 * MEBIBYTE && aborting.abort(reason),
    })
    await expect(client.uploads.send(path, input, options)).rejects.toBe(reason)
    await expect.poll(() => storageProxy.openConnections).toBe(0)
    expect(storageProxy.upstreamBytes).toBeLessThan(LARGE_BYTES)
    expect(reported.pauses).toEqual([])
  })

  it('ends a retry delay, and prevents the start of a new upload', async () => {
    const { path } = fixture.newFile('aborted-waiting.mp4', LARGE_BYTES)
    const aborting = new AbortController()
    storageProxy.disable()
    const onPause = () => aborting.abort(reason)
    const sending = client.uploads.send(path, input, { signal: aborting.signal, onPause })
    await expect(sending).rejects.toBe(reason)

    const before = await fixture.countSessions()
    await expect(client.uploads.send(path, input, { signal: aborting.signal })).rejects.toBe(reason)
    expect(await fixture.countSessions()).toBe(before)
  })
})

describe('an interrupted upload', () => {
  it('resumes with the missing parts', async () => {
    const { path, content } = fixture.newFile('resumed.mp4', LARGE_BYTES)
    const uuid = await interrupt(path, PART_BYTES + MEBIBYTE)
    fixture.reset()
    const { reported, options } = recordingOptions()
    const asset = await client.uploads.resume(uuid, path, options)
    await expectStored(asset.id, content)
    expectSteady(reported.progress, LARGE_BYTES)
    const missing = LARGE_BYTES - PART_BYTES
    expect(storageProxy.upstreamBytes).toBeGreaterThan(missing)
    expect(storageProxy.upstreamBytes).toBeLessThan(missing + HEADERS_BYTES_MAX)

    const again = await client.uploads.resume(uuid, path)
    expect(again.id).toBe(asset.id)
  })

  it('is not sent again when storage has already received its form', async () => {
    const { path, content } = fixture.newFile('posted.mp4', 2 * MEBIBYTE)
    const posted = { ...input, title: 'Posted', file_size_bytes: content.length }
    const { upload_session, client_payload } = await client.uploadSessions.create(posted)
    const { upload_link, ...fields } = client_payload
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new Blob([content]))
    expect((await fetch(upload_link, { method: 'POST', body: form })).ok).toBe(true)
    fixture.reset()
    const asset = await client.uploads.resume(upload_session.uuid, path)
    expect(asset).toMatchObject({ title: 'Posted', bytes: content.length })
    expect(storageProxy.upstreamBytes).toBe(0)
  })

  it('resumes after its session has expired', async () => {
    const { path, content } = fixture.newFile('late.mp4', LARGE_BYTES)
    const uuid = await interrupt(path, PART_BYTES + MEBIBYTE)
    await fixture.expireSession(uuid)
    const asset = await client.uploads.resume(uuid, path)
    await expectStored(asset.id, content)
  })

  it('does not resume with another file, of the same or of another size', async () => {
    const { path } = fixture.newFile('first.mp4', LARGE_BYTES)
    const uuid = await interrupt(path, PART_BYTES + MEBIBYTE)
    fixture.reset()
    const { path: same } = fixture.newFile('second.mp4', LARGE_BYTES)
    const { path: longer } = fixture.newFile('third.mp4', LARGE_BYTES + 1)
    const resuming = client.uploads.resume(uuid, same)
    await expect(resuming).rejects.toThrow(FileChangedError)
    await expect(resuming).rejects.toThrow('second.mp4 is not the file')
    await expect(client.uploads.resume(uuid, longer)).rejects.toThrow(
      `for a file of ${LARGE_BYTES} bytes, but third.mp4 has ${LARGE_BYTES + 1}`,
    )
    expect(storageProxy.upstreamBytes).toBe(0)
  })

  it('cannot be resumed after its session was cancelled', async () => {
    const { path } = fixture.newFile('cancelled.mp4', LARGE_BYTES)
    const uuid = await interrupt(path, MEBIBYTE)
    const { organization, token } = fixture.access
    await fetch(`${apiProxy.url}/api/v1/${organization}/assets/upload-sessions/${uuid}/`, {
      method: 'DELETE',
      headers: { authorization: `token ${token}` },
    })
    const resuming = client.uploads.resume(uuid, path)
    await expect(resuming).rejects.toThrow(ConflictError)
    await expect(resuming).rejects.toThrow('The session is Cancelled. Create another session.')
  })
})

describe('uploads.send with an idempotency key', () => {
  it.each([
    ['a small file', MEBIBYTE],
    ['a larger file', LARGE_BYTES],
  ])('sends the file only once if it is called twice: %s', async (_, bytes) => {
    const { path, content } = fixture.newFile('once.mp4', bytes)
    const idempotencyKey = crypto.randomUUID()
    const first = await client.uploads.send(path, input, { idempotencyKey })
    const methods = fixture.storageRequests.requests.map(({ method }) => method)
    expect(methods).toEqual(bytes === MEBIBYTE ? ['POST'] : ['PUT', 'PUT', 'PUT'])
    await expectStored(first.id, content)
    fixture.reset()
    const second = await client.uploads.send(path, input, { idempotencyKey })
    expect(second).toMatchObject({ id: first.id, bytes })
    expect(storageProxy.upstreamBytes).toBe(0)
  })

  it('resumes an interrupted upload with the missing parts, and rejects another file', async () => {
    const { path, content } = fixture.newFile('keyed.mp4', LARGE_BYTES)
    const idempotencyKey = crypto.randomUUID()
    await interrupt(path, PART_BYTES + MEBIBYTE, { idempotencyKey })
    fixture.reset()
    const other = new File([new Uint8Array(LARGE_BYTES)], 'keyed.mp4')
    const sendingOther = client.uploads.send(other, input, { idempotencyKey })
    await expect(sendingOther).rejects.toThrow(FileChangedError)
    expect(storageProxy.upstreamBytes).toBe(0)
    const asset = await client.uploads.send(path, input, { idempotencyKey })
    await expectStored(asset.id, content)
    expect(storageProxy.upstreamBytes).toBeLessThan(LARGE_BYTES - PART_BYTES + HEADERS_BYTES_MAX)
  })

  it('needs only the scope `assets:write`', async () => {
    const writer = await fixture.newClient('assets:write')
    const { path } = fixture.newFile('written-once.mp4', MEBIBYTE)
    const idempotencyKey = crypto.randomUUID()
    const first = await writer.uploads.send(path, input, { idempotencyKey })
    fixture.reset()
    const second = await writer.uploads.send(path, input, { idempotencyKey })
    expect(second.id).toBe(first.id)
    expect(storageProxy.upstreamBytes).toBe(0)
  })
})

describe('uploads.send rejects', () => {
  it.each([
    ['an empty file', () => fixture.newFile('empty.mp4', 0).path, 'empty.mp4 is empty.'],
    ['a path that does not exist', () => join(tmpdir(), 'nowhere.mp4'), 'nowhere.mp4 cannot be'],
    ['a folder', () => tmpdir(), 'is not a file'],
  ])('%s, before it creates a session', async (_, path, sentence) => {
    const before = await fixture.countSessions()
    const sending = client.uploads.send(path(), input)
    await expect(sending).rejects.toThrow(FileError)
    await expect(sending).rejects.toThrow(sentence)
    expect(await fixture.countSessions()).toBe(before)
  })

  it('an upload to a missing bucket, with a hint for the operator', async () => {
    await using api = await InProcessApi.start({ STORAGE_UPLOADS_BUCKET: 'sdk-not-there' })
    const other = new Reelkeep({ url: api.baseUrl, ...fixture.access })
    const sending = other.uploads.send(fixture.newFile('rejected.mp4', MEBIBYTE).path, input)
    await expect(sending).rejects.toThrow(StorageError)
    await expect(sending).rejects.toMatchObject({ status: 404, code: 'NoSuchBucket' })
    await expect(sending).rejects.toThrow('operator must run `setup-storage`')
  })
})
