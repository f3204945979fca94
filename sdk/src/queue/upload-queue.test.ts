/** The queue in Node, whose locks and channels connect "tabs" of one process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { fingerprintOf } from './fingerprint.ts'
import type { QueueClient } from './runner.ts'
import { UploadQueue } from './upload-queue.ts'
import type { FileHandle, QueuedUpload, QueueStorage } from './uploads.ts'

const input = { resolutions: ['360p' as const] }
const fileOf = (name: string, text = `content of ${name}`) => new File([text], name, { lastModified: 1 })

/** Stores copies, as IndexedDB does. */
function memoryStorage() {
  const uploads = new Map<string, QueuedUpload>()
  const handles = new Map<string, FileHandle>()
  const storage: QueueStorage = {
    load: async () => structuredClone([...uploads.values()]),
    save: async (saved, given = new Map()) => {
      for (const upload of structuredClone([...saved])) uploads.set(upload.id, upload)
      for (const [id, handle] of given) handles.set(id, handle)
    },
    remove: async (ids) => {
      for (const id of ids) uploads.delete(id)
    },
    loadHandle: async (id) => handles.get(id),
  }
  return { storage, uploads, handles }
}

type Send = QueueClient['uploads']['send']
type Call = { readonly name: string; readonly key?: string; readonly session?: string }

/** A service that creates one session per key. `onSend` decides what happens to the bytes. */
function fakeService(onSend: (call: Call, signal: AbortSignal) => Promise<void> = async () => {}) {
  const sessions = new Map<string, string>()
  const calls: Call[] = []
  const cancelled: string[] = []
  const sessionOf = (key: string) => {
    const uuid = sessions.get(key) ?? `session-${sessions.size + 1}`
    sessions.set(key, uuid)
    return { upload_session: { uuid }, asset: { id: `asset-of-${uuid}` } }
  }
  const send = async (file: File, _: unknown, options: NonNullable<Parameters<Send>[2]>) => {
    const created = sessionOf(options.idempotencyKey ?? '')
    await options.onSession?.(created as never)
    const call = { name: file.name, key: options.idempotencyKey ?? '' }
    calls.push(call)
    await onSend(call, options.signal as AbortSignal)
    return created.asset
  }
  const client = {
    uploads: {
      send,
      resume: async (session: string, file: File, options: { readonly signal: AbortSignal }) => {
        const call = { name: file.name, session }
        calls.push(call)
        await onSend(call, options.signal)
        return { id: `asset-of-${session}` }
      },
    },
    uploadSessions: {
      create: async (_: unknown, options: { readonly idempotencyKey: string }) => sessionOf(options.idempotencyKey),
      cancel: async (uuid: string) => void cancelled.push(uuid),
      read: async () => ({ status: 'Expired' }),
    },
  } as unknown as QueueClient
  return { client, send, calls, cancelled, sessions }
}

const untilAborted = (_: Call, signal: AbortSignal) =>
  new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
const failure = (name: string, more: object = {}) => Object.assign(new Error(`${name}.`), { name, ...more })

let names = 0
const queues: UploadQueue[] = []
function openQueue(client: QueueClient, storage: QueueStorage, name = `test-${++names}`, retrySeconds = 0.01) {
  const queue = new UploadQueue(client, { name, storage, filesAtOnce: 2, retrySeconds })
  queues.push(queue)
  return queue
}
afterEach(() => {
  for (const queue of queues.splice(0)) queue.close()
})

const states = (queue: UploadQueue) => queue.uploads.map(({ name, state }) => `${name} ${state}`)
const expectStates = (queue: UploadQueue, ...wanted: string[]) => expect.poll(() => states(queue)).toEqual(wanted)

describe('an upload queue', () => {
  it('uploads the files in their order, as many at once as it may', async () => {
    let [running, most] = [0, 0]
    const { client, calls } = fakeService(async () => {
      most = Math.max(most, ++running)
      await sleep(5)
      running--
    })
    const queue = openQueue(client, memoryStorage().storage)
    await queue.add(['a', 'b', 'c', 'd'].map((name) => ({ file: fileOf(name), input })))
    await expectStates(queue, 'a processing', 'b processing', 'c processing', 'd processing')
    expect(calls.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
    expect(most).toBe(2)
  })

  it('stores the idempotency key before the session is requested', async () => {
    const { storage, uploads } = memoryStorage()
    const stored: (readonly [boolean, boolean])[] = []
    const service = fakeService()
    const send = service.client.uploads.send
    const client = {
      ...service.client,
      uploads: {
        ...service.client.uploads,
        send: (...given: Parameters<Send>) => {
          const [upload] = uploads.values()
          stored.push([upload?.isRequested === true, upload?.key === given[2]?.idempotencyKey])
          return send(...given)
        },
      },
    }
    const queue = openQueue(client, storage)
    await queue.add([{ file: fileOf('a'), input }])
    await expectStates(queue, 'a processing')
    expect(stored).toEqual([[true, true]])
  })

  it('continues in the same session after a reload, when the file is provided again', async () => {
    const { storage } = memoryStorage()
    const before = fakeService(untilAborted)
    const first = openQueue(before.client, storage)
    await first.add([{ file: fileOf('a'), input }])
    await expect.poll(() => before.calls.length).toBe(1)
    first.close()

    const after = fakeService()
    const second = openQueue(after.client, storage)
    await expectStates(second, 'a needs-file')
    const other = fileOf('other')
    expect(await second.provide([other, fileOf('renamed', 'content of a')])).toEqual([other])
    await expectStates(second, 'a processing')
    expect(after.calls).toEqual([{ name: 'renamed', session: 'session-1' }])
    expect(after.sessions.size).toBe(0)
  })

  it('requests the same session again if the page was closed before its response', async () => {
    const { storage } = memoryStorage()
    const key: string[] = []
    const lost = {
      uploads: {
        send: (_file: File, _input: unknown, options: { readonly idempotencyKey: string }) => {
          key.push(options.idempotencyKey)
          return new Promise(() => {})
        },
      },
    } as unknown as QueueClient
    const first = openQueue(lost, storage)
    await first.add([{ file: fileOf('a'), input }])
    await expect.poll(() => key.length).toBe(1)
    first.close()

    const { client, calls } = fakeService()
    const second = openQueue(client, storage)
    await expectStates(second, 'a needs-file')
    await second.provide([fileOf('a')])
    await expectStates(second, 'a processing')
    expect(calls).toEqual([{ name: 'a', key: key[0] }])
  })

  it('continues by itself after a reload where the page may still read the file', async () => {
    const { storage } = memoryStorage()
    const first = openQueue(fakeService(untilAborted).client, storage)
    const handleOf = (file: File, permission: string): FileHandle => ({
      getFile: async () => file,
      queryPermission: async () => permission,
      requestPermission: async () => 'granted',
    })
    const [a, b] = [fileOf('a'), fileOf('b')]
    await first.add([
      { file: a, handle: handleOf(a, 'granted'), input },
      { file: b, handle: handleOf(b, 'prompt'), input },
    ])
    first.close()

    const second = openQueue(fakeService().client, storage)
    await expectStates(second, 'a processing', 'b needs-file')
    expect(second.uploads[1]?.canBeAllowed).toBe(true)
    await second.allowFiles()
    await expectStates(second, 'a processing', 'b processing')
  })

  it('does not send a file that has changed since it was added', async () => {
    const { storage } = memoryStorage()
    const handle: FileHandle = { getFile: async () => fileOf('a', 'other contents') }
    const first = openQueue(fakeService(untilAborted).client, storage)
    await first.add([{ file: fileOf('a', 'first contents'), handle, input }])
    await expectStates(first, 'a uploading')
    first.close()

    const { client, calls } = fakeService()
    const second = openQueue(client, storage)
    await expectStates(second, 'a failed')
    expect(second.uploads[0]?.error?.code).toBe('file_changed')
    expect(calls).toEqual([])
  })

  it('tries again by itself after a lost connection', async () => {
    let attempts = 0
    const { client, calls } = fakeService(async () => {
      if (++attempts < 3) throw failure('ConnectionError')
    })
    const queue = openQueue(client, memoryStorage().storage)
    await queue.add([{ file: fileOf('a'), input }])
    await expectStates(queue, 'a processing')
    expect(calls.map(({ session }) => session)).toEqual([undefined, 'session-1', 'session-1'])
  })

  it('starts in a new session when the old one has expired', async () => {
    let attempts = 0
    const { client, sessions } = fakeService(async () => {
      if (++attempts === 1) throw failure('ConflictError', { code: 'upload_session_closed', status: 409 })
    })
    const queue = openQueue(client, memoryStorage().storage)
    await queue.add([{ file: fileOf('a'), input }])
    await expectStates(queue, 'a processing')
    expect(sessions.size).toBe(2)
  })

  it('shows why an upload failed, and starts it again', async () => {
    let attempts = 0
    const { client } = fakeService(async () => {
      if (++attempts === 1) throw failure('PermissionError', { code: 'insufficient_scope', status: 403 })
    })
    const queue = openQueue(client, memoryStorage().storage)
    const [added] = await queue.add([{ file: fileOf('a'), input }])
    await expectStates(queue, 'a failed')
    expect(queue.uploads[0]?.error).toMatchObject({ code: 'insufficient_scope' })
    await queue.retry([added?.id ?? ''])
    await expectStates(queue, 'a processing')
  })

  it('shows why an upload makes no progress between two attempts', async () => {
    const { client, send } = fakeService()
    const attempts = Promise.withResolvers<void>()
    client.uploads.send = (async (file: File, given: unknown, options: NonNullable<Parameters<Send>[2]>) => {
      options.onPause?.({ reason: failure('StorageError', { code: 'ServiceUnavailable' }), seconds: 1 })
      await attempts.promise
      options.onProgress?.({ sentBytes: 1, totalBytes: file.size })
      return send(file, given, options)
    }) as never
    const queue = openQueue(client, memoryStorage().storage)
    await queue.add([{ file: fileOf('a'), input }])
    await expect.poll(() => queue.uploads[0]?.error).toMatchObject({ name: 'StorageError', code: 'ServiceUnavailable' })
    expect(queue.uploads[0]?.state).toBe('uploading')
    attempts.resolve()
    await expectStates(queue, 'a processing')
    expect(queue.uploads[0]?.error).toBeUndefined()
  })

  it('pauses and resumes in the same session', async () => {
    let isBlocked = true
    const { client, calls } = fakeService(async (call, signal) => {
      if (isBlocked) await untilAborted(call, signal)
    })
    const queue = openQueue(client, memoryStorage().storage)
    await queue.add([{ file: fileOf('a'), input }])
    await expect.poll(() => calls.length).toBe(1)
    await queue.pause()
    expect(states(queue)).toEqual(['a paused'])
    isBlocked = false
    await queue.resume()
    await expectStates(queue, 'a processing')
    expect(calls[1]).toEqual({ name: 'a', session: 'session-1' })
  })

  it('cancels the session of a cancelled upload, and starts the next file', async () => {
    const { client, calls, cancelled } = fakeService(async (call, signal) => {
      if (call.name === 'a') await untilAborted(call, signal)
    })
    const queue = new UploadQueue(client, { name: 'cancel', storage: memoryStorage().storage, filesAtOnce: 1 })
    queues.push(queue)
    const [a] = await queue.add([
      { file: fileOf('a'), input },
      { file: fileOf('b'), input },
    ])
    await expect.poll(() => calls.length).toBe(1)
    await queue.cancel([a?.id ?? ''])
    await expectStates(queue, 'a cancelled', 'b processing')
    expect(cancelled).toEqual(['session-1'])
    await queue.remove()
    expect(queue.uploads).toEqual([])
  })

  it('reports the end of processing', async () => {
    const queue = openQueue(fakeService().client, memoryStorage().storage)
    await queue.add([{ file: fileOf('a'), input }])
    await expectStates(queue, 'a processing')
    await queue.setProcessed('asset-of-session-1', 'done')
    expect(states(queue)).toEqual(['a done'])
  })
})

describe('two tabs', () => {
  it('share a queue: one uploads, the other shows it and controls it', async () => {
    const { storage } = memoryStorage()
    const name = `test-${++names}`
    const service = fakeService(untilAborted)
    const first = openQueue(service.client, storage, name)
    await expect.poll(() => first.isRunning).toBe(true)
    const unused = fakeService()
    const second = openQueue(unused.client, storage, name)
    await second.add([{ file: fileOf('a'), input }])
    await expectStates(second, 'a uploading')
    expect(states(first)).toEqual(['a uploading'])
    await second.pause()
    await expectStates(second, 'a paused')
    expect(unused.calls).toEqual([])
  })

  it('take over from each other, with the files that the other tab had', async () => {
    const { storage } = memoryStorage()
    const name = `test-${++names}`
    const first = openQueue(fakeService(untilAborted).client, storage, name)
    await expect.poll(() => first.isRunning).toBe(true)
    const service = fakeService()
    const second = openQueue(service.client, storage, name)
    await second.add([{ file: fileOf('a'), input }])
    await expectStates(first, 'a uploading')
    first.close()
    await expectStates(second, 'a processing')
    expect(service.calls).toEqual([{ name: 'a', session: 'session-1' }])
  })
})

describe('fingerprintOf', () => {
  it('differs for files that differ at the beginning, in a sample, at the end or in size', async () => {
    const bytes = new Uint8Array(2_000_000)
    const changed = (at: number) => fingerprintOf(new Blob([bytes.with(at, 1)]))
    const all = await Promise.all([
      fingerprintOf(new Blob([bytes])),
      fingerprintOf(new Blob([bytes.subarray(1)])),
      ...[0, 857_143, 1_999_999].map(changed),
    ])
    expect(new Set(all).size).toBe(all.length)
  })
})
