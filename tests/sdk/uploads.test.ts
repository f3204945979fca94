/** `uploads.send` and `uploads.resume` against the real service and storage, over lines that have mishaps. */
import { appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiHere } from '@reelkeep/testkit/api-here'
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
import { openUploadStage } from './upload-stage.ts'

const MEBIBYTE = 1024 ** 2
const PART_BYTES = 16 * MEBIBYTE
/** Hardly larger than what goes by the form: in three parts, the last of which is small. */
const LARGE_BYTES = 2 * PART_BYTES + 12_345
/** Heads of requests, and the form's other fields. */
const HEADS_BYTES_MAX = 64 * 1024

const stage = await opened(openUploadStage())
const { client, storageLine, apiLine } = stage
const wish = { resolutions: ['360p' as const] }

beforeEach(() => stage.forget())

/** Options that remember what they were told. */
function watched(options: UploadOptions = {}) {
  const told = { progress: [] as number[], pauses: [] as UploadPause[], uuid: '' }
  const all: UploadOptions = {
    ...options,
    onProgress: (progress) => {
      told.progress.push(progress.sentBytes)
      options.onProgress?.(progress)
    },
    onPause: (pause) => told.pauses.push(pause),
    onSession: (session: NewUploadSession) => {
      told.uuid = session.upload_session.uuid
      options.onSession?.(session)
    },
  }
  return { told, options: all }
}

function expectSteady(progress: readonly number[], totalBytes: number) {
  expect(progress.length).toBeGreaterThan(1)
  expect(progress).toEqual(progress.toSorted((one, other) => one - other))
  expect(progress.at(-1)).toBe(totalBytes)
}

const expectStored = async (assetId: string, content: Buffer) =>
  expect((await stage.stored(assetId)).equals(content)).toBe(true)

/** Begins an upload and drops it as soon as so many bytes are out. */
async function breakOff(path: string, bytes: number, more: UploadOptions = {}): Promise<string> {
  const dropping = new AbortController()
  const reason = new Error('dropped')
  const { told, options } = watched({
    ...more,
    signal: dropping.signal,
    partsAtOnce: 1,
    onProgress: ({ sentBytes }) => sentBytes >= bytes && dropping.abort(reason),
  })
  await expect(client.uploads.send(path, wish, options)).rejects.toBe(reason)
  return told.uuid
}

describe('a small file', () => {
  it('goes by the form, once, under its name', async () => {
    const { path, content } = stage.newFile('Lecture 1.final.mp4', 3 * MEBIBYTE)
    const { told, options } = watched()
    const asset = await client.uploads.send(path, wish, options)
    expect(asset).toMatchObject({ title: 'Lecture 1.final', bytes: content.length })
    expect(asset.video.status).not.toBe('Not Started')
    await expectStored(asset.id, content)
    expectSteady(told.progress, content.length)
    expect(stage.relay.asked.map(({ method }) => method)).toEqual(['POST'])
    expect(storageLine.bytesSent).toBeLessThan(content.length + HEADS_BYTES_MAX)
  })

  it('may be a Blob, which has a title instead of a name', async () => {
    const content = Buffer.from('a file of thirty-two whole bytes')
    const blob = new Blob([content])
    await expect(client.uploads.send(blob, wish)).rejects.toThrow('say the `title`')
    const asset = await client.uploads.send(blob, { ...wish, title: 'From memory' })
    expect(asset).toMatchObject({ title: 'From memory', bytes: 32 })
    await expectStored(asset.id, content)
  })

  it('is not sent again when only the answer was lost', async () => {
    const { path, content } = stage.newFile('lost-answer.mp4', 2 * MEBIBYTE)
    storageLine.loseAnswers(1)
    const asset = await client.uploads.send(path, wish)
    await expectStored(asset.id, content)
    expect(storageLine.bytesSent).toBeLessThan(content.length + HEADS_BYTES_MAX)
  })

  it.each([
    ['its form is broken off', () => storageLine.cutAt(20 * MEBIBYTE, 0.2)],
    [
      'storage knows no forms',
      () => {
        stage.relay.fateOf = ({ method }) => (method === 'POST' ? 501 : 'pass')
      },
    ],
  ])('goes in parts when %s', async (_, plan) => {
    const { path, content } = stage.newFile('in-parts.mp4', 31 * MEBIBYTE)
    const { told, options } = watched()
    plan()
    const asset = await client.uploads.send(path, wish, options)
    await expectStored(asset.id, content)
    expectSteady(told.progress, content.length)
    const methods = stage.relay.asked.map(({ method }) => method)
    expect(methods.filter((method) => method === 'PUT')).toHaveLength(2)
  })
})

describe('a larger file', () => {
  it.each(['path', 'Blob'])('goes in parts, given as a %s', async (kind) => {
    const { path, content } = stage.newFile('large.mp4', LARGE_BYTES)
    const { told, options } = watched()
    const file = kind === 'path' ? path : new File([content], 'large.mp4')
    const asset = await client.uploads.send(file, wish, options)
    expect(asset).toMatchObject({ title: 'large', bytes: LARGE_BYTES })
    await expectStored(asset.id, content)
    expectSteady(told.progress, LARGE_BYTES)
    expect(stage.relay.asked.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT'])
    expect(told.pauses).toEqual([])
  })

  it('arrives over a line that is cut three times; only parts under way are sent again', async () => {
    const { path, content } = stage.newFile('cut.mp4', LARGE_BYTES)
    const { told, options } = watched({ partsAtOnce: 2 })
    for (const mebibytes of [10, 20, 30]) storageLine.cutAt(mebibytes * MEBIBYTE, 0.7)
    const asset = await client.uploads.send(path, wish, options)
    expect(storageLine.cuts).toBe(3)
    await expectStored(asset.id, content)
    expectSteady(told.progress, LARGE_BYTES)
    const again = storageLine.bytesSent - LARGE_BYTES
    expect(again).toBeGreaterThan(0)
    expect(again).toBeLessThan(3 * 2 * PART_BYTES + HEADS_BYTES_MAX)
    expect(told.pauses[0]?.reason).toBeInstanceOf(ConnectionError)
  })

  it('arrives while the service is away for longer than a call is repeated', async () => {
    const { path, content } = stage.newFile('away.mp4', LARGE_BYTES)
    const { told, options } = watched({
      partsAtOnce: 1,
      onSession: () => {
        apiLine.cut()
        setTimeout(() => apiLine.mend(), 3000)
      },
    })
    const asset = await client.uploads.send(path, wish, options)
    await expectStored(asset.id, content)
    expect(told.pauses.length).toBeGreaterThan(2)
  })

  it('sends no part again of which only the answer was lost', async () => {
    const { path, content } = stage.newFile('lost-answers.mp4', LARGE_BYTES)
    storageLine.loseAnswers(2)
    const asset = await client.uploads.send(path, wish, { partsAtOnce: 1 })
    await expectStored(asset.id, content)
    expect(storageLine.bytesSent).toBeLessThan(LARGE_BYTES + HEADS_BYTES_MAX)
  })

  it('sends a part again that was damaged on the way', async () => {
    const { path, content } = stage.newFile('damaged.mp4', LARGE_BYTES)
    const { told, options } = watched({ partsAtOnce: 1 })
    storageLine.damageAt(20 * MEBIBYTE)
    const asset = await client.uploads.send(path, wish, options)
    await expectStored(asset.id, content)
    expect(told.pauses).toMatchObject([{ reason: { code: 'BadDigest' } }])
  })

  it('does not wait for a line on which nothing moves', async () => {
    const { path, content } = stage.newFile('stalled.mp4', LARGE_BYTES)
    const { told, options } = watched({ timeoutSeconds: 2, partsAtOnce: 1 })
    // In the last part, which is small: a second is added for what is under way of it.
    storageLine.stallAt(2 * PART_BYTES + 6 * 1024)
    const asset = await client.uploads.send(path, wish, options)
    await expectStored(asset.id, content)
    // On a busy machine there may be other pauses.
    expect(told.pauses.map(({ reason }) => reason.message)).toContainEqual(
      expect.stringMatching(/^Nothing moved to .* for 3 seconds/),
    )
  })

  it('has its session renewed when the time of that runs out', async () => {
    const { path, content } = stage.newFile('long.mp4', LARGE_BYTES)
    const expiring: Promise<unknown>[] = []
    const { told, options } = watched({
      partsAtOnce: 1,
      onProgress: ({ sentBytes }) => {
        if (expiring.length === 0 && sentBytes > MEBIBYTE) expiring.push(stage.runOut(told.uuid))
      },
    })
    const asset = await client.uploads.send(path, wish, options)
    expect(expiring).toHaveLength(1)
    await expectStored(asset.id, content)
  })

  it('is refused when it is written to while it is sent', async () => {
    const { path } = stage.newFile('growing.mp4', LARGE_BYTES)
    let hasGrown = false
    const onProgress = () => {
      if (!hasGrown) appendFileSync(path, 'more')
      hasGrown = true
    }
    const sending = client.uploads.send(path, wish, { onProgress, partsAtOnce: 1 })
    await expect(sending).rejects.toThrow(FileChangedError)
    await expect(sending).rejects.toThrow(
      `had ${LARGE_BYTES} bytes and now has ${LARGE_BYTES + 4} while it was sent`,
    )
    // It is not sent to the end first.
    expect(stage.relay.asked).toHaveLength(1)
  })

  it('is given up when nothing gets through for too long', async () => {
    const { path } = stage.newFile('given-up.mp4', LARGE_BYTES)
    storageLine.cutAt(MEBIBYTE, 3600)
    const sending = client.uploads.send(path, wish, { patienceSeconds: 1 })
    await expect(sending).rejects.toThrow(ConnectionError)
  })
})

describe('whoever may only write', () => {
  it.each([
    ['by the form', MEBIBYTE],
    ['in parts, over a line that is cut', LARGE_BYTES],
  ])('uploads %s', async (_, bytes) => {
    const writer = await stage.newClient('assets:write')
    const { path } = stage.newFile('written.mp4', bytes)
    const { told, options } = watched()
    if (bytes === LARGE_BYTES) storageLine.cutAt(20 * MEBIBYTE, 0.1)
    const asset = await writer.uploads.send(path, wish, options)
    expect(asset).toMatchObject({ title: 'written', bytes })
    expectSteady(told.progress, bytes)
  })
})

describe('a signal that is aborted', () => {
  const reason = new Error('enough')

  it('ends all parts at once, and hangs up', async () => {
    const { path } = stage.newFile('aborted.mp4', LARGE_BYTES)
    const aborting = new AbortController()
    const { told, options } = watched({
      signal: aborting.signal,
      onProgress: ({ sentBytes }) => sentBytes > 4 * MEBIBYTE && aborting.abort(reason),
    })
    await expect(client.uploads.send(path, wish, options)).rejects.toBe(reason)
    await expect.poll(() => storageLine.openEnds).toBe(0)
    expect(storageLine.bytesSent).toBeLessThan(LARGE_BYTES)
    expect(told.pauses).toEqual([])
  })

  it('is heard while the line is waited for, and before anything began', async () => {
    const { path } = stage.newFile('aborted-waiting.mp4', LARGE_BYTES)
    const aborting = new AbortController()
    storageLine.cut()
    const onPause = () => aborting.abort(reason)
    const sending = client.uploads.send(path, wish, { signal: aborting.signal, onPause })
    await expect(sending).rejects.toBe(reason)

    const before = await stage.countSessions()
    await expect(client.uploads.send(path, wish, { signal: aborting.signal })).rejects.toBe(reason)
    expect(await stage.countSessions()).toBe(before)
  })
})

describe('an upload that was broken off', () => {
  it('goes on with what is missing', async () => {
    const { path, content } = stage.newFile('resumed.mp4', LARGE_BYTES)
    const uuid = await breakOff(path, PART_BYTES + MEBIBYTE)
    stage.forget()
    const { told, options } = watched()
    const asset = await client.uploads.resume(uuid, path, options)
    await expectStored(asset.id, content)
    expectSteady(told.progress, LARGE_BYTES)
    const missing = LARGE_BYTES - PART_BYTES
    expect(storageLine.bytesSent).toBeGreaterThan(missing)
    expect(storageLine.bytesSent).toBeLessThan(missing + HEADS_BYTES_MAX)

    const again = await client.uploads.resume(uuid, path)
    expect(again.id).toBe(asset.id)
  })

  it('is not sent again when its form had arrived', async () => {
    const { path, content } = stage.newFile('posted.mp4', 2 * MEBIBYTE)
    const wanted = { ...wish, title: 'Posted', file_size_bytes: content.length }
    const { upload_session, client_payload } = await client.uploadSessions.create(wanted)
    const { upload_link, ...fields } = client_payload
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new Blob([content]))
    expect((await fetch(upload_link, { method: 'POST', body: form })).ok).toBe(true)
    stage.forget()
    const asset = await client.uploads.resume(upload_session.uuid, path)
    expect(asset).toMatchObject({ title: 'Posted', bytes: content.length })
    expect(storageLine.bytesSent).toBe(0)
  })

  it('goes on although its time has run out', async () => {
    const { path, content } = stage.newFile('late.mp4', LARGE_BYTES)
    const uuid = await breakOff(path, PART_BYTES + MEBIBYTE)
    await stage.runOut(uuid)
    const asset = await client.uploads.resume(uuid, path)
    await expectStored(asset.id, content)
  })

  it('does not go on with another file, of the same size or of another one', async () => {
    const { path } = stage.newFile('first.mp4', LARGE_BYTES)
    const uuid = await breakOff(path, PART_BYTES + MEBIBYTE)
    stage.forget()
    const { path: same } = stage.newFile('second.mp4', LARGE_BYTES)
    const { path: longer } = stage.newFile('third.mp4', LARGE_BYTES + 1)
    const resuming = client.uploads.resume(uuid, same)
    await expect(resuming).rejects.toThrow(FileChangedError)
    await expect(resuming).rejects.toThrow('second.mp4 is another file')
    await expect(client.uploads.resume(uuid, longer)).rejects.toThrow(
      `for a file of ${LARGE_BYTES} bytes; third.mp4 has ${LARGE_BYTES + 1}`,
    )
    expect(storageLine.bytesSent).toBe(0)
  })

  it('is over when its session was cancelled', async () => {
    const { path } = stage.newFile('cancelled.mp4', LARGE_BYTES)
    const uuid = await breakOff(path, MEBIBYTE)
    const { organization, token } = stage.access
    await fetch(`${apiLine.url}/api/v1/${organization}/assets/upload-sessions/${uuid}/`, {
      method: 'DELETE',
      headers: { authorization: `token ${token}` },
    })
    const resuming = client.uploads.resume(uuid, path)
    await expect(resuming).rejects.toThrow(ConflictError)
    await expect(resuming).rejects.toThrow('The session is Cancelled. Create another session.')
  })
})

describe('an upload under a key of the caller', () => {
  it.each([
    ['a small file', MEBIBYTE],
    ['a larger file', LARGE_BYTES],
  ])('is done once, however often it is run: %s', async (_, bytes) => {
    const { path, content } = stage.newFile('once.mp4', bytes)
    const idempotencyKey = crypto.randomUUID()
    const first = await client.uploads.send(path, wish, { idempotencyKey })
    const methods = stage.relay.asked.map(({ method }) => method)
    expect(methods).toEqual(bytes === MEBIBYTE ? ['POST'] : ['PUT', 'PUT', 'PUT'])
    await expectStored(first.id, content)
    stage.forget()
    const second = await client.uploads.send(path, wish, { idempotencyKey })
    expect(second).toMatchObject({ id: first.id, bytes })
    expect(storageLine.bytesSent).toBe(0)
  })

  it('goes on with what is missing, and not with another file', async () => {
    const { path, content } = stage.newFile('keyed.mp4', LARGE_BYTES)
    const idempotencyKey = crypto.randomUUID()
    await breakOff(path, PART_BYTES + MEBIBYTE, { idempotencyKey })
    stage.forget()
    const other = new File([new Uint8Array(LARGE_BYTES)], 'keyed.mp4')
    const sendingOther = client.uploads.send(other, wish, { idempotencyKey })
    await expect(sendingOther).rejects.toThrow(FileChangedError)
    expect(storageLine.bytesSent).toBe(0)
    const asset = await client.uploads.send(path, wish, { idempotencyKey })
    await expectStored(asset.id, content)
    expect(storageLine.bytesSent).toBeLessThan(LARGE_BYTES - PART_BYTES + HEADS_BYTES_MAX)
  })

  it('needs no more than `assets:write`', async () => {
    const writer = await stage.newClient('assets:write')
    const { path } = stage.newFile('written-once.mp4', MEBIBYTE)
    const idempotencyKey = crypto.randomUUID()
    const first = await writer.uploads.send(path, wish, { idempotencyKey })
    stage.forget()
    const second = await writer.uploads.send(path, wish, { idempotencyKey })
    expect(second.id).toBe(first.id)
    expect(storageLine.bytesSent).toBe(0)
  })
})

describe('what is refused', () => {
  it.each([
    ['an empty file', () => stage.newFile('empty.mp4', 0).path, 'empty.mp4 is empty.'],
    ['a path that leads nowhere', () => join(tmpdir(), 'nowhere.mp4'), 'nowhere.mp4 cannot be'],
    ['a folder', () => tmpdir(), 'is not a file'],
  ])('%s, before there is a session', async (_, path, sentence) => {
    const before = await stage.countSessions()
    const sending = client.uploads.send(path(), wish)
    await expect(sending).rejects.toThrow(FileError)
    await expect(sending).rejects.toThrow(sentence)
    expect(await stage.countSessions()).toBe(before)
  })

  it('by storage is told with its cure', async () => {
    await using api = await ApiHere.start({ STORAGE_UPLOADS_BUCKET: 'sdk-not-there' })
    const other = new Reelkeep({ url: api.baseUrl, ...stage.access })
    const sending = other.uploads.send(stage.newFile('refused.mp4', MEBIBYTE).path, wish)
    await expect(sending).rejects.toThrow(StorageError)
    await expect(sending).rejects.toMatchObject({ status: 404, code: 'NoSuchBucket' })
    await expect(sending).rejects.toThrow('runs `setup-storage`')
  })
})
