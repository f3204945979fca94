/** Changed videos are read together after this time. */
const COLLECT_MILLISECONDS = 250
/** Of more changes at once, as by a bulk operation, the first are read; the operation reads the lists again. */
const CHANGED_MAX = 500

/**
 * Collects the ids of changed videos and reads the videos one batch after the other. Two reads at the same time could
 * end in the other order, and the older response would replace the newer one.
 */
export class ChangedVideos {
  readonly #read: (ids: readonly string[]) => Promise<void>
  #ids = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isReading = false
  #isClosed = false

  /** `read` handles its own errors. */
  constructor(read: (ids: readonly string[]) => Promise<void>) {
    this.#read = read
  }

  add(id: string): void {
    if (this.#ids.size < CHANGED_MAX) this.#ids.add(id)
    this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#isReading || this.#isClosed) return
    this.#timer ??= setTimeout(() => void this.#readBatch(), COLLECT_MILLISECONDS)
  }

  async #readBatch(): Promise<void> {
    const ids = [...this.#ids]
    this.#ids = new Set()
    this.#timer = undefined
    this.#isReading = true
    await this.#read(ids)
    this.#isReading = false
    if (this.#ids.size > 0) this.#schedule()
  }
}
