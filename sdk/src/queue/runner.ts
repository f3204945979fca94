/** Uploads the files of the queue. Only one tab has a runner at a time. */
import { newKey } from '../http/idempotency-key.ts'
import type { Reelkeep } from '../reelkeep.ts'
import type { UploadPause } from '../uploads/options.ts'
import { hasCode, isWorthWaiting, toQueueError } from './errors.ts'
import type { QueueFiles } from './files.ts'
import { Rate } from './rate.ts'
import type { UploadList } from './upload-list.ts'
import { hasEnded, isUnderWay, type QueuedUpload, type UploadChanges } from './uploads.ts'

/** The part of the client that the queue uses. */
export type QueueClient = Pick<Reelkeep, 'uploads' | 'uploadSessions'>

export type RunnerOptions = {
  readonly filesAtOnce: number
  readonly partsAtOnce: number
  readonly retrySeconds: number
}

/** Forms are not larger than a part, so that an interruption costs at most one part per file. */
const FORM_BYTES_MAX = 16 * 1024 ** 2
const SHOW_MILLISECONDS = 250
/** Uploads that ended before this time are removed. */
const KEPT_DAYS = 7

export class QueueRunner {
  readonly #client: QueueClient
  readonly #list: UploadList
  readonly #files: QueueFiles
  readonly #options: RunnerOptions
  readonly #running = new Map<string, { readonly abort: AbortController; readonly rate: Rate }>()
  readonly #sent = new Map<string, number>()
  /** Uploads that wait after an error. */
  readonly #resting = new Map<string, ReturnType<typeof setTimeout>>()
  #showTimer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(client: QueueClient, list: UploadList, files: QueueFiles, options: RunnerOptions) {
    this.#client = client
    this.#list = list
    this.#files = files
    this.#options = options
  }

  /** Continues what another tab, or this page before a reload, has left. */
  async start(): Promise<void> {
    const oldest = Date.now() - KEPT_DAYS * 86_400_000
    const old = this.#list.all.filter(({ endedAt = oldest, state }) => endedAt < oldest && state !== 'processing')
    if (old.length > 0) await this.#list.remove(old.map(({ id }) => id))
    const left = this.#list.all.filter((upload) => isUnderWay(upload) || upload.state === 'needs-file')
    const changes = left.map(async ({ id }) => [id, await this.#stateOf(id)] as const)
    await this.#list.changeAll(await Promise.all(changes))
    for (const { id, mustCancelSession } of this.#list.all) if (mustCancelSession) void this.#cancelSession(id)
    this.pump()
  }

  async #stateOf(id: string): Promise<UploadChanges> {
    const { isFound, canBeAllowed } = await this.#files.find(id)
    return { state: isFound ? 'waiting' : 'needs-file', canBeAllowed, ...noError, ...noRate }
  }

  /** Stops all uploads without changing their states. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#showTimer)
    for (const timer of this.#resting.values()) clearTimeout(timer)
    for (const { abort } of this.#running.values()) abort.abort()
  }

  /** Starts as many uploads as may run at a time. */
  pump(): void {
    if (this.#isClosed) return
    for (const { id, state } of this.#list.all) {
      if (this.#running.size >= this.#options.filesAtOnce) return
      if (state === 'waiting' && !this.#running.has(id) && !this.#resting.has(id)) void this.#run(id)
    }
  }

  /** Tries all uploads again that wait after an error, because the connection is back. */
  wake(): void {
    for (const timer of this.#resting.values()) clearTimeout(timer)
    this.#resting.clear()
    for (const { id, mustCancelSession } of this.#list.all) if (mustCancelSession) void this.#cancelSession(id)
    this.pump()
  }

  /** A file that the upload needs can be read now. */
  async fileFound(id: string): Promise<void> {
    if (this.#list.get(id)?.state === 'needs-file')
      await this.#list.change(id, { state: 'waiting', canBeAllowed: undefined, ...noError })
    this.pump()
  }

  async pause(upload: QueuedUpload): Promise<void> {
    if (!isUnderWay(upload)) return
    this.#stop(upload.id)
    await this.#list.change(upload.id, { state: 'paused', ...noError, ...noRate })
    this.pump()
  }

  async resume({ id, state }: QueuedUpload): Promise<void> {
    if (state !== 'paused') return
    await this.#list.change(id, await this.#stateOf(id))
    this.pump()
  }

  /** Uploads that are complete are not cancelled. */
  async cancel(upload: QueuedUpload): Promise<void> {
    if (hasEnded(upload) || upload.state === 'processing') return
    this.#stop(upload.id)
    const { id, isRequested } = this.#list.get(upload.id) ?? upload
    const ended = { state: 'cancelled', endedAt: Date.now(), ...noError, ...noRate } as const
    await this.#list.change(id, isRequested ? { ...ended, mustCancelSession: true } : ended)
    if (isRequested) await this.#cancelSession(id)
    this.pump()
  }

  /** Starts an upload again, in a new session if the old one cannot be used. */
  async retry(upload: QueuedUpload): Promise<void> {
    const { id, state, error, sessionUuid, mustCancelSession } = upload
    if ((state !== 'failed' && state !== 'cancelled') || mustCancelSession) return
    const isOver = state === 'cancelled' || error?.code === 'file_changed' || error?.code === 'upload_session_closed'
    if (isOver && state === 'failed' && sessionUuid)
      await this.#client.uploadSessions.cancel(sessionUuid).catch(() => {})
    const found = await this.#stateOf(id)
    // A file that has changed is uploaded as it is now.
    const bytes = error?.code === 'file_changed' ? this.#files.sizeOf(id) : undefined
    const changed = bytes === undefined ? {} : { bytes, fingerprint: undefined }
    await this.#list.change(id, { endedAt: undefined, ...(isOver && newSession()), ...changed, ...found })
    this.pump()
  }

  #stop(id: string): void {
    clearTimeout(this.#resting.get(id))
    this.#resting.delete(id)
    this.#running.get(id)?.abort.abort()
  }

  async #run(id: string): Promise<void> {
    const abort = new AbortController()
    this.#running.set(id, { abort, rate: new Rate() })
    try {
      await this.#upload(id, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) await this.#failed(id, error).catch(() => this.#rest(id))
    } finally {
      this.#running.delete(id)
      this.#sent.delete(id)
    }
    this.pump()
  }

  async #upload(id: string, signal: AbortSignal): Promise<void> {
    const added = this.#list.get(id)
    if (!added) return
    if (!this.#files.has(id)) await this.#files.find(id)
    if (added.fingerprint === undefined) await this.#list.change(id, { state: 'checking' })
    const checked = await this.#files.check(added)
    signal.throwIfAborted()
    if (!checked) return this.#list.change(id, { state: 'needs-file', canBeAllowed: false, ...noError })
    if (checked.isOther) return this.#list.change(id, { state: 'failed', error: otherFile, endedAt: Date.now() })
    const { file, fingerprint } = checked
    // The key is stored before the request: if its response is lost, the same key returns the same session.
    await this.#list.change(id, { state: 'uploading', fingerprint, isRequested: true })
    signal.throwIfAborted()
    const asset = await this.#send(id, file, signal)
    const uploaded = { state: 'processing', assetId: asset.id, sentBytes: file.size, endedAt: Date.now() } as const
    await this.#list.change(id, { ...uploaded, ...noError, ...noRate })
    this.#files.delete(id)
  }

  async #send(id: string, file: File, signal: AbortSignal) {
    const { input, key, sessionUuid } = this.#list.get(id) as QueuedUpload
    const onProgress = ({ sentBytes }: { readonly sentBytes: number }) => {
      this.#sent.set(id, sentBytes)
      if (this.#list.get(id)?.error) this.#list.show([[id, noError]])
      this.#showTimer ??= setTimeout(() => this.#showProgress(), SHOW_MILLISECONDS)
    }
    const onPause = ({ reason }: UploadPause) => this.#list.show([[id, { error: toQueueError(reason), ...noRate }]])
    const options = { signal, onProgress, onPause, partsAtOnce: this.#options.partsAtOnce }
    if (sessionUuid) return this.#client.uploads.resume(sessionUuid, file, options)
    return this.#client.uploads.send(file, input, {
      ...options,
      idempotencyKey: key,
      formBytesMax: FORM_BYTES_MAX,
      // No byte is sent before the session is stored.
      onSession: ({ upload_session, asset }) =>
        this.#list.change(id, { sessionUuid: upload_session.uuid, assetId: asset.id }),
    })
  }

  #showProgress(): void {
    this.#showTimer = undefined
    const now = performance.now()
    const changes = [...this.#sent].flatMap(([id, sentBytes]) => {
      const rate = this.#running.get(id)?.rate.measure(sentBytes, now)
      return this.#running.has(id)
        ? [[id, { sentBytes, ...(rate !== undefined && { bytesPerSecond: rate }) }] as const]
        : []
    })
    this.#list.show(changes)
    if (this.#running.size > 0) this.#showTimer = setTimeout(() => this.#showProgress(), SHOW_MILLISECONDS)
  }

  async #failed(id: string, error: unknown): Promise<void> {
    if (isWorthWaiting(error)) {
      this.#rest(id)
      return this.#list.change(id, { state: 'waiting', error: toQueueError(error), ...noRate })
    }
    const isNew = hasCode(error, 'idempotency_key_reused') || (await this.#hasExpired(id, error))
    // A session that was not stored has no bytes, so another one doubles nothing.
    if (isNew) return this.#list.change(id, { state: 'waiting', ...newSession(), ...noRate })
    await this.#list.change(id, { state: 'failed', error: toQueueError(error), endedAt: Date.now(), ...noRate })
  }

  async #hasExpired(id: string, error: unknown): Promise<boolean> {
    const sessionUuid = this.#list.get(id)?.sessionUuid
    if (!sessionUuid || !hasCode(error, 'upload_session_closed')) return false
    return (await this.#client.uploadSessions.read(sessionUuid)).status === 'Expired'
  }

  /** Tries again after a pause, or when the browser is online again. */
  #rest(id: string): void {
    const again = () => {
      this.#resting.delete(id)
      if (this.#list.get(id)?.mustCancelSession) void this.#cancelSession(id)
      else this.pump()
    }
    clearTimeout(this.#resting.get(id))
    if (!this.#isClosed) this.#resting.set(id, setTimeout(again, this.#options.retrySeconds * 1000))
  }

  /** Cancels the session of a cancelled upload. If the response to its creation was lost, the key finds it. */
  async #cancelSession(id: string): Promise<void> {
    const upload = this.#list.get(id)
    if (!upload) return
    const { sessionUuid, input, name, bytes, key } = upload
    try {
      const body = { ...input, title: input.title ?? name, file_size_bytes: bytes }
      const create = () => this.#client.uploadSessions.create(body, { idempotencyKey: key })
      const uuid = sessionUuid ?? (await create()).upload_session.uuid
      await this.#list.change(id, await this.#afterCancel(uuid))
    } catch (error) {
      if (isWorthWaiting(error)) this.#rest(id)
      else await this.#list.change(id, { mustCancelSession: undefined })
    }
  }

  /** The upload may have been completed before it was cancelled. */
  async #afterCancel(uuid: string): Promise<UploadChanges> {
    const done = { mustCancelSession: undefined }
    try {
      await this.#client.uploadSessions.cancel(uuid)
      return done
    } catch (error) {
      if (!hasCode(error, 'upload_session_closed')) throw error
      const { status, asset_id: assetId } = await this.#client.uploadSessions.read(uuid)
      return status === 'Completed' ? { ...done, state: 'processing', assetId } : done
    }
  }
}

const noError = { error: undefined }
const noRate = { bytesPerSecond: undefined }
const otherFile = {
  name: 'FileChangedError',
  code: 'file_changed',
  message: 'The file has changed since it was added. Add it again.',
}

const newSession = (): UploadChanges => ({
  ...{ key: newKey(), isRequested: false, sentBytes: 0 },
  ...{ sessionUuid: undefined, assetId: undefined, mustCancelSession: undefined },
})
