/**
 * A queue of uploads for web pages that survives reloads, closed tabs and lost connections. Of several tabs, one
 * uploads; the others show its progress and send it their commands.
 */
import { newKey } from '../http/idempotency-key.ts'
import { titleOfFile } from '../uploads/titles.ts'
import { QueueFiles } from './files.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type QueueClient, QueueRunner } from './runner.ts'
import { type ListMessage, UploadList } from './upload-list.ts'
import type { FileHandle, NewUpload, QueuedUpload, QueueError, QueueStorage } from './uploads.ts'

export type QueueOptions = {
  /** Tabs with the same name share a queue. Include the id of the user if several people use the browser. */
  readonly name: string
  /** Keeps the uploads, such as `indexedDbStorage(name)`. */
  readonly storage: QueueStorage
  /** Files that are uploaded at the same time (default 3). */
  readonly filesAtOnce?: number | undefined
  /** Parts of a file that are sent at the same time (default 1, so that an interruption costs at most one part). */
  readonly partsAtOnce?: number | undefined
  /** Pause after a failed attempt (default 10). The queue tries again sooner when the browser is online again. */
  readonly retrySeconds?: number | undefined
}

type Command = 'pause' | 'resume' | 'cancel' | 'retry'

type Message =
  | ListMessage
  | { readonly kind: 'command'; readonly command: Command; readonly ids: readonly string[] }
  | { readonly kind: 'files'; readonly files: readonly (readonly [id: string, file: File])[] }
  /** A tab that starts to upload asks the others for files that they can read. */
  | { readonly kind: 'wants-files' }

export class UploadQueue {
  /** Resolves when the stored uploads have been read. */
  readonly ready: Promise<void>
  readonly #client: QueueClient
  readonly #options: QueueOptions
  readonly #channel: InstanceType<typeof BroadcastChannel>
  readonly #list: UploadList
  readonly #files: QueueFiles
  readonly #end = new AbortController()
  #runner: QueueRunner | undefined
  #lastOrder = 0

  constructor(client: QueueClient, options: QueueOptions) {
    const name = `reelkeep.uploads.${options.name}`
    const { storage } = options
    this.#client = client
    this.#options = options
    this.#channel = new BroadcastChannel(name)
    this.#list = new UploadList(storage, (message) => this.#send(message))
    this.#files = new QueueFiles(storage)
    this.#channel.onmessage = ({ data }: { readonly data: unknown }) => void this.#receive(data as Message)
    this.ready = this.#list.load()
    void this.#waitForTurn(name)
  }

  /** All uploads in their order. The same array until something changes. */
  get uploads(): readonly QueuedUpload[] {
    return this.#list.all
  }

  /** Whether this tab uploads. */
  get isRunning(): boolean {
    return this.#runner !== undefined
  }

  /** Calls the listener after every change. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    return this.#list.subscribe(listener)
  }

  /** Adds files. Resolves when they are stored, and so would survive a reload. */
  async add(added: readonly NewUpload[]): Promise<readonly QueuedUpload[]> {
    const uploads = added.map((upload) => this.#newUpload(upload))
    const handles = new Map<string, FileHandle>()
    const files: [string, File][] = []
    for (const [index, { file, handle }] of added.entries()) {
      const { id } = uploads[index] as QueuedUpload
      this.#files.set(id, file)
      files.push([id, file])
      if (handle) handles.set(id, handle)
    }
    await this.#list.add(uploads, handles)
    if (this.#runner) this.#runner.pump()
    else this.#send({ kind: 'files', files })
    return uploads
  }

  #newUpload({ file, input }: NewUpload): QueuedUpload {
    this.#lastOrder = Math.max(this.#lastOrder + 1, Date.now() * 1000)
    return {
      ...{ id: newKey(), key: newKey(), isRequested: false, order: this.#lastOrder },
      ...{ name: file.name, bytes: file.size, lastModified: file.lastModified },
      ...{ input: { ...input, title: input.title ?? titleOfFile(file.name) }, state: 'waiting', sentBytes: 0 },
    }
  }

  /** Stops uploads until `resume`. All of them if no ids are given, as in the other methods. */
  async pause(ids?: readonly string[]): Promise<void> {
    await this.#command('pause', ids)
  }

  async resume(ids?: readonly string[]): Promise<void> {
    await this.#command('resume', ids)
  }

  /** Cancels uploads and discards the bytes that were sent. Uploads that are complete stay. */
  async cancel(ids?: readonly string[]): Promise<void> {
    await this.#command('cancel', ids)
  }

  /** Starts failed and cancelled uploads again. */
  async retry(ids?: readonly string[]): Promise<void> {
    await this.#command('retry', ids)
  }

  /** Removes uploads from the list that have ended or are processing. The videos stay. */
  async remove(ids: readonly string[] = this.uploads.map(({ id }) => id)): Promise<void> {
    const isRemovable = ({ state, mustCancelSession }: QueuedUpload) =>
      ['processing', 'done', 'failed', 'cancelled'].includes(state) && !mustCancelSession
    const removed = this.uploads.filter((upload) => ids.includes(upload.id) && isRemovable(upload))
    if (removed.length > 0) await this.#list.remove(removed.map(({ id }) => id))
  }

  /** Reports that the processing of an asset ended, or started again. */
  async setProcessed(assetId: string, state: 'processing' | 'done' | 'failed', error?: QueueError): Promise<void> {
    const isUploaded = ({ state: current, sentBytes, bytes }: QueuedUpload) =>
      current !== state && (current === 'processing' || (sentBytes === bytes && ['done', 'failed'].includes(current)))
    const changed = this.uploads.filter((upload) => upload.assetId === assetId && isUploaded(upload))
    await this.#list.changeAll(changed.map(({ id }) => [id, { state, error }]))
  }

  /**
   * Asks the user for the permission to read the files of uploads that need it. Call it after a click or a key: the
   * browser shows its own question then.
   */
  async allowFiles(): Promise<void> {
    for (const { id, state, canBeAllowed } of this.uploads)
      if (state === 'needs-file' && canBeAllowed && (await this.#files.allow(id))) await this.#filesFound([id])
  }

  /** Continues the uploads that need these files, recognized by their content. Returns the files that none needs. */
  async provide(files: readonly File[]): Promise<File[]> {
    const unknown: File[] = []
    for (const file of files) {
      const needed = this.uploads.filter(
        ({ id, state, bytes }) => state === 'needs-file' && bytes === file.size && !this.#files.has(id),
      )
      const fingerprint = needed.length > 0 ? await fingerprintOf(file).catch(() => undefined) : undefined
      const found = needed.find((upload) => isSameFile(upload, file, fingerprint))
      if (found) {
        this.#files.set(found.id, file)
        await this.#filesFound([found.id])
      } else unknown.push(file)
    }
    return unknown
  }

  /** Stops the uploads of this tab. Another tab continues them, or this page when it is opened again. */
  close(): void {
    this.#end.abort()
    this.#runner?.close()
    this.#runner = undefined
    this.#channel.close()
  }

  async #filesFound(ids: readonly string[]): Promise<void> {
    if (this.#runner) for (const id of ids) await this.#runner.fileFound(id)
    else this.#send({ kind: 'files', files: this.#files.all.filter(([id]) => ids.includes(id)) })
  }

  async #command(command: Command, ids: readonly string[] = this.uploads.map(({ id }) => id)): Promise<void> {
    await this.ready
    const runner = this.#runner
    if (!runner) return this.#send({ kind: 'command', command, ids })
    await Promise.all(
      ids.map(async (id) => {
        const upload = this.#list.get(id)
        if (upload) await runner[command](upload)
      }),
    )
  }

  async #receive(message: Message): Promise<void> {
    if (message.kind === 'changed' || message.kind === 'removed') this.#list.receive(message)
    else if (message.kind === 'wants-files') this.#send({ kind: 'files', files: this.#files.all })
    else if (!this.#runner) return
    else if (message.kind === 'command') await this.#command(message.command, message.ids)
    else {
      for (const [id, file] of message.files) this.#files.set(id, file)
      await this.#filesFound(message.files.map(([id]) => id))
    }
  }

  #send(message: Message): void {
    if (!this.#end.signal.aborted) this.#channel.postMessage(message)
  }

  /** Uploads while this tab has the lock. Pages on plain http have no locks, so all of their tabs upload. */
  async #waitForTurn(name: string): Promise<void> {
    const { signal } = this.#end
    const locks = globalThis.navigator?.locks
    if (!locks) return this.#run()
    await locks
      .request(name, { signal }, () => this.#run())
      .catch(() => {
        // Aborted by `close`.
      })
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    await this.#list.load()
    if (signal.aborted) return
    const { filesAtOnce = 3, partsAtOnce = 1, retrySeconds = 10 } = this.#options
    const runner = new QueueRunner(this.#client, this.#list, this.#files, { filesAtOnce, partsAtOnce, retrySeconds })
    this.#runner = runner
    this.#send({ kind: 'wants-files' })
    const page = globalThis as object as Partial<Pick<EventTarget, 'addEventListener'>>
    page.addEventListener?.('online', () => runner.wake(), { signal })
    await runner.start()
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  }
}

/** Before the fingerprint was computed, a file is recognized by its name and time. */
const isSameFile = (upload: QueuedUpload, file: File, fingerprint: string | undefined) =>
  upload.fingerprint === undefined
    ? upload.name === file.name && upload.lastModified === file.lastModified
    : upload.fingerprint === fingerprint
