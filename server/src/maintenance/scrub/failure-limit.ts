/** Number of failures in a row after which storage or the database is unavailable, not a single object. */
const FAILURES_IN_A_ROW_MAX = 5

/** Storage as a whole answers wrongly, so there is no point in continuing. */
export class StorageLost extends Error {
  override readonly name = 'StorageLost'
}

/** Continues after the failure of single items, and throws if many in a row fail. */
export class FailureLimit {
  #inARow = 0
  #first: unknown

  /** Returns false if the work has failed. */
  async run(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      this.#inARow = 0
      return true
    } catch (error) {
      this.#first ??= error
      this.#inARow += 1
      if (error instanceof StorageLost || this.#inARow >= FAILURES_IN_A_ROW_MAX) throw error
      return false
    }
  }

  /** Throws the first error, so that the run is reported as failed. */
  throwFirst(): void {
    if (this.#first !== undefined) throw this.#first
  }
}
