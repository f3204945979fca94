/**
 * Reads an object in blocks and caches them, because a probe reads the same header several times. One request
 * reads a run of consecutive blocks: a short run after a jump, and a run twice as long with each further request
 * while reading sequentially. With a cache limit, the least recently used blocks are evicted, and the next run is
 * requested while the current one is used.
 */
import { type ByteRange, ReadLimitExceeded, type SourceObject, SourceUnreadable } from './source.ts'

const BLOCK_BYTES = 65_536
const RUN_BYTES_FIRST = 4 * BLOCK_BYTES
const RUN_BYTES_MAX = 64 * BLOCK_BYTES

export type ReadCosts = {
  readonly bytes: number
  readonly requests: number
  /** Time spent waiting for storage. */
  readonly waitedSeconds: number
}

export type ReadLimits = {
  /** Maximum total bytes of all requests. */
  readonly bytesMax: number
  /**
   * Maximum size of the block cache, at least three times the longest run; unlimited if undefined. With a limit,
   * the object is read ahead.
   */
  readonly cacheBytesMax?: number
}

export class BlockReader {
  readonly sizeBytes: number
  readonly #object: SourceObject
  readonly #bytesMax: number
  readonly #cacheBytesMax: number | undefined
  readonly #signal: AbortSignal
  readonly #blocks = new Map<number, Promise<Buffer>>()
  #costs: ReadCosts = { bytes: 0, requests: 0, waitedSeconds: 0 }
  #lastRun: ByteRange = { start: 0, end: 0 }

  constructor(object: SourceObject, { bytesMax, cacheBytesMax }: ReadLimits, signal: AbortSignal) {
    this.sizeBytes = object.sizeBytes
    this.#object = object
    this.#bytesMax = bytesMax
    this.#cacheBytesMax = cacheBytesMax
    this.#signal = signal
  }

  get costs(): ReadCosts {
    return this.#costs
  }

  /** Returns the bytes of the range; fewer if the object ends within the range. */
  async read(range: ByteRange): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this.chunks(range)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  /** Returns the range in chunks of at most one block, each requested only when it is needed. */
  async *chunks({ start, end }: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const last = Math.min(end, this.sizeBytes)
    for (let at = start; at < last; ) {
      const block = Math.floor(at / BLOCK_BYTES)
      const offset = at - block * BLOCK_BYTES
      const found = this.#use(block) ?? this.#fetchFrom(block)
      this.#readAhead(block)
      const bytes = await found
      const chunk = bytes.subarray(offset, offset + last - at)
      yield chunk
      at += chunk.length
    }
  }

  /** Returns a cached block and marks it as used. The map is ordered by last use. */
  #use(block: number): Promise<Buffer> | undefined {
    const found = this.#blocks.get(block)
    if (!found || this.#cacheBytesMax === undefined) return found
    this.#blocks.delete(block)
    this.#blocks.set(block, found)
    return found
  }

  /** Reads ahead in the second half of a long run; runs are long only during sequential reads. */
  #readAhead(block: number): void {
    if (this.#cacheBytesMax === undefined) return
    const { start, end } = this.#lastRun
    const at = block * BLOCK_BYTES
    const isInSecondHalf = at >= (start + end) / 2 && at < end
    if (!isInSecondHalf || end - start <= RUN_BYTES_FIRST || end >= this.sizeBytes) return
    if (this.#blocks.has(end / BLOCK_BYTES) || this.#remainingBytes < BLOCK_BYTES) return
    // A failure to read ahead is reported when the block is used.
    this.#fetchFrom(end / BLOCK_BYTES).catch(() => undefined)
  }

  get #remainingBytes(): number {
    return this.#bytesMax - this.#costs.bytes
  }

  #evict(): void {
    const blocksMax = (this.#cacheBytesMax ?? Number.POSITIVE_INFINITY) / BLOCK_BYTES
    for (const block of this.#blocks.keys()) {
      if (this.#blocks.size <= blocksMax) return
      this.#blocks.delete(block)
    }
  }

  #fetchFrom(block: number): Promise<Buffer> {
    const run = this.#nextRun(block)
    this.#lastRun = run
    this.#costs = {
      ...this.#costs,
      bytes: this.#costs.bytes + run.end - run.start,
      requests: this.#costs.requests + 1,
    }
    const fetched = this.#fetch(run)
    for (let at = run.start; at < run.end; at += BLOCK_BYTES) {
      const offset = at - run.start
      const bytes = fetched.then((all) => all.subarray(offset, offset + BLOCK_BYTES))
      // A failed request is reported when the block is used.
      bytes.catch(() => undefined)
      this.#blocks.set(at / BLOCK_BYTES, bytes)
    }
    const wanted = this.#blocks.get(block) ?? Promise.reject(new RangeError('empty run'))
    this.#evict()
    return wanted
  }

  #nextRun(block: number): ByteRange {
    const start = block * BLOCK_BYTES
    const { start: lastStart, end: lastEnd } = this.#lastRun
    const wanted = start === lastEnd ? Math.min(RUN_BYTES_MAX, 2 * (lastEnd - lastStart)) : RUN_BYTES_FIRST
    const remaining = this.#remainingBytes
    if (remaining < BLOCK_BYTES) throw new ReadLimitExceeded(`Read limit of ${this.#bytesMax} bytes exceeded`)
    let end = start + BLOCK_BYTES
    const endMax = Math.min(start + Math.max(wanted, RUN_BYTES_FIRST), start + remaining)
    while (end + BLOCK_BYTES <= endMax && !this.#blocks.has(end / BLOCK_BYTES)) end += BLOCK_BYTES
    return { start, end: Math.min(end, this.sizeBytes) }
  }

  async #fetch(run: ByteRange): Promise<Buffer> {
    const startedAt = performance.now()
    try {
      const chunks: Uint8Array[] = []
      for await (const chunk of await this.#object.read(run, this.#signal)) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      if (bytes.length !== run.end - run.start) {
        throw new Error(`received ${bytes.length} bytes instead of ${run.end - run.start}`)
      }
      return bytes
    } catch (cause) {
      throw new SourceUnreadable('The source could not be read', { cause })
    } finally {
      const waited = (performance.now() - startedAt) / 1000
      this.#costs = { ...this.#costs, waitedSeconds: this.#costs.waitedSeconds + waited }
    }
  }
}
