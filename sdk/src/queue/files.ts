import { fingerprintOf } from './fingerprint.ts'
import type { FileHandle, QueuedUpload, QueueStorage } from './uploads.ts'

/** The files of the uploads that this tab can read. */
export class QueueFiles {
  readonly #storage: QueueStorage
  readonly #files = new Map<string, File>()
  /** Uploads whose file was compared with the fingerprint. */
  readonly #checked = new Set<string>()

  constructor(storage: QueueStorage) {
    this.#storage = storage
  }

  get all(): (readonly [id: string, file: File])[] {
    return [...this.#files]
  }

  has(id: string): boolean {
    return this.#files.has(id)
  }

  sizeOf(id: string): number | undefined {
    return this.#files.get(id)?.size
  }

  set(id: string, file: File): void {
    this.#files.set(id, file)
    this.#checked.delete(id)
  }

  delete(id: string): void {
    this.#files.delete(id)
    this.#checked.delete(id)
  }

  /** Reads the file by its handle if the user has permitted it. */
  async find(id: string): Promise<{ readonly isFound: boolean; readonly canBeAllowed: boolean }> {
    if (this.has(id)) return { isFound: true, canBeAllowed: false }
    const handle = await this.#storage.loadHandle(id).catch(() => undefined)
    if (!handle) return { isFound: false, canBeAllowed: false }
    const permission = (await handle.queryPermission?.({ mode: 'read' })) ?? 'granted'
    const isFound = permission === 'granted' && (await this.#open(id, handle))
    return { isFound, canBeAllowed: permission === 'prompt' }
  }

  /** Asks the user for the permission to read the file. Only after a click or a key. */
  async allow(id: string): Promise<boolean> {
    const handle = await this.#storage.loadHandle(id)
    const permission = await handle?.requestPermission?.({ mode: 'read' })
    return handle !== undefined && permission === 'granted' && this.#open(id, handle)
  }

  async #open(id: string, handle: FileHandle): Promise<boolean> {
    try {
      this.set(id, await handle.getFile())
      return true
    } catch {
      // The file was deleted or renamed.
      return false
    }
  }

  /**
   * Returns the file and its fingerprint; undefined if the file cannot be read. `isOther` if it is not the file that
   * was added.
   */
  async check({ id, bytes, fingerprint: known }: QueuedUpload) {
    const file = this.#files.get(id)
    if (!file) return undefined
    if (known !== undefined && this.#checked.has(id)) return { file, fingerprint: known, isOther: false }
    try {
      const fingerprint = await fingerprintOf(file)
      const isOther = file.size !== bytes || (known !== undefined && known !== fingerprint)
      if (!isOther) this.#checked.add(id)
      return { file, fingerprint, isOther }
    } catch {
      this.delete(id)
      return undefined
    }
  }
}
