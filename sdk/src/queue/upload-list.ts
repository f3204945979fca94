import type { FileHandle, QueuedUpload, QueueStorage, UploadChanges } from './uploads.ts'

/** Messages to other tabs. */
export type ListMessage =
  | { readonly kind: 'changed'; readonly uploads: readonly QueuedUpload[] }
  | { readonly kind: 'removed'; readonly ids: readonly string[] }

/** The uploads of the queue in this tab. Changes are stored and sent to the other tabs. */
export class UploadList {
  readonly #storage: QueueStorage
  readonly #send: (message: ListMessage) => void
  readonly #uploads = new Map<string, QueuedUpload>()
  readonly #listeners = new Set<() => void>()
  #sorted: readonly QueuedUpload[] | undefined

  constructor(storage: QueueStorage, send: (message: ListMessage) => void) {
    this.#storage = storage
    this.#send = send
  }

  /** In their order. The same array until something changes. */
  get all(): readonly QueuedUpload[] {
    this.#sorted ??= [...this.#uploads.values()].sort((one, other) => one.order - other.order)
    return this.#sorted
  }

  get(id: string): QueuedUpload | undefined {
    return this.#uploads.get(id)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads the stored uploads. They replace those of this tab, because another tab may have changed them. */
  async load(): Promise<void> {
    this.#put(await this.#storage.load())
  }

  /** Resolves when the uploads are stored. */
  async add(uploads: readonly QueuedUpload[], handles: ReadonlyMap<string, FileHandle>): Promise<void> {
    await this.#storage.save(uploads, handles)
    this.#put(uploads)
    this.#send({ kind: 'changed', uploads })
  }

  /** Changes an upload, if it still exists. Resolves when the change is stored. */
  async change(id: string, changes: UploadChanges): Promise<void> {
    await this.changeAll([[id, changes]])
  }

  async changeAll(changes: readonly (readonly [id: string, changes: UploadChanges])[]): Promise<void> {
    const uploads = this.#apply(changes)
    if (uploads.length > 0) await this.#storage.save(uploads)
  }

  /** Shows a change that is not stored, such as progress. */
  show(changes: readonly (readonly [id: string, changes: UploadChanges])[]): void {
    this.#apply(changes)
  }

  async remove(ids: readonly string[]): Promise<void> {
    this.#drop(ids)
    this.#send({ kind: 'removed', ids })
    await this.#storage.remove(ids)
  }

  /** Applies a change of another tab. */
  receive(message: ListMessage): void {
    if (message.kind === 'changed') this.#put(message.uploads)
    else this.#drop(message.ids)
  }

  #apply(changes: readonly (readonly [id: string, changes: UploadChanges])[]): QueuedUpload[] {
    const uploads = changes.flatMap(([id, change]) => {
      const upload = this.#uploads.get(id)
      return upload ? [withoutUndefined({ ...upload, ...change })] : []
    })
    this.#put(uploads)
    if (uploads.length > 0) this.#send({ kind: 'changed', uploads })
    return uploads
  }

  #put(uploads: readonly QueuedUpload[]): void {
    for (const upload of uploads) this.#uploads.set(upload.id, upload)
    this.#notify()
  }

  #drop(ids: readonly string[]): void {
    for (const id of ids) this.#uploads.delete(id)
    this.#notify()
  }

  #notify(): void {
    this.#sorted = undefined
    for (const listener of this.#listeners) listener()
  }
}

const withoutUndefined = (upload: UploadChanges): QueuedUpload =>
  Object.fromEntries(Object.entries(upload).filter(([, value]) => value !== undefined)) as QueuedUpload
