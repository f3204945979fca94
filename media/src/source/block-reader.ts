/**
 * Reads an object in blocks, and keeps them: a probe looks at the same header several times. One
 * request fetches a run of blocks; a run is short where the reader has jumped to, and doubles for
 * as long as it goes straight on. Who reads all of an object keeps what was used last, and has the
 * next run fetched while this one is used.
 */
import { type ByteRange, ReadBudgetSpent, type SourceObject, SourceUnreadable } from './source.ts'

const BLOCK_BYTES = 65_536
const RUN_BYTES_FIRST = 4 * BLOCK_BYTES
const RUN_BYTES_MAX = 64 * BLOCK_BYTES

/** What reading has cost so far. */
export type ReadCosts = {
  readonly bytes: number
  readonly requests: number
  /** For which storage was waited. */
  readonly waitedSeconds: number
}

export type Reading = {
  /** Of all requests together. */
  readonly bytesMax: number
  /**
   * Of blocks, at least three of the longest runs; without it, all. Those not used for longest are
   * forgotten, and the object is read ahead.
   */
  readonly keptBytesMax?: number
}

export class BlockReader {
  readonly sizeBytes: number
  readonly #object: SourceObject
  readonly #bytesMax: number
  readonly #keptBytesMax: number | undefined
  readonly #signal: AbortSignal
  readonly #blocks = new Map<number, Promise<Buffer>>()
  #costs: ReadCosts = { bytes: 0, requests: 0, waitedSeconds: 0 }
  #lastRun: ByteRange = { start: 0, end: 0 }

  constructor(object: SourceObject, { bytesMax, keptBytesMax }: Reading, signal: AbortSignal) {
    this.sizeBytes = object.sizeBytes
    this.#object = object
    this.#bytesMax = bytesMax
    this.#keptBytesMax = keptBytesMax
    this.#signal = signal
  }

  get costs(): ReadCosts {
    return this.#costs
  }

  /** As much of the range as there is. */
  async read(range: ByteRange): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.pieces(range)) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  /** The same, a block or less at a time, and fetched only when it is asked for. */
  async *pieces({ start, end }: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const last = Math.min(end, this.sizeBytes)
    for (let at = start; at < last; ) {
      const block = Math.floor(at / BLOCK_BYTES)
      const offset = at - block * BLOCK_BYTES
      const found = this.#use(block) ?? this.#fetchFrom(block)
      this.#readAhead(block)
      const bytes = await found
      const piece = bytes.subarray(offset, offset + last - at)
      yield piece
      at += piece.length
    }
  }

  /** The blocks stand in the order of their use. */
  #use(block: number): Promise<Buffer> | undefined {
    const found = this.#blocks.get(block)
    if (!found || this.#keptBytesMax === undefined) return found
    this.#blocks.delete(block)
    this.#blocks.set(block, found)
    return found
  }

  /** From the second half of a long run on, which only somebody gets that goes straight on. */
  #readAhead(block: number): void {
    if (this.#keptBytesMax === undefined) return
    const { start, end } = this.#lastRun
    const at = block * BLOCK_BYTES
    const isFarInto = at >= (start + end) / 2 && at < end
    if (!isFarInto || end - start <= RUN_BYTES_FIRST || end >= this.sizeBytes) return
    if (this.#blocks.has(end / BLOCK_BYTES) || this.#affordable < BLOCK_BYTES) return
    // Who comes to it hears of a failure.
    this.#fetchFrom(end / BLOCK_BYTES).catch(() => undefined)
  }

  get #affordable(): number {
    return this.#bytesMax - this.#costs.bytes
  }

  #forgetTheLeastUsed(): void {
    const blocksMax = (this.#keptBytesMax ?? Number.POSITIVE_INFINITY) / BLOCK_BYTES
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
      // Nobody may ever ask for it; who does hears of the failure.
      bytes.catch(() => undefined)
      this.#blocks.set(at / BLOCK_BYTES, bytes)
    }
    const wanted = this.#blocks.get(block) ?? Promise.reject(new RangeError('An empty run'))
    this.#forgetTheLeastUsed()
    return wanted
  }

  #nextRun(block: number): ByteRange {
    const start = block * BLOCK_BYTES
    const { start: lastStart, end: lastEnd } = this.#lastRun
    const wanted =
      start === lastEnd ? Math.min(RUN_BYTES_MAX, 2 * (lastEnd - lastStart)) : RUN_BYTES_FIRST
    const affordable = this.#affordable
    if (affordable < BLOCK_BYTES) throw new ReadBudgetSpent(`More than ${this.#bytesMax} bytes`)
    let end = start + BLOCK_BYTES
    const endMax = Math.min(start + Math.max(wanted, RUN_BYTES_FIRST), start + affordable)
    while (end + BLOCK_BYTES <= endMax && !this.#blocks.has(end / BLOCK_BYTES)) end += BLOCK_BYTES
    return { start, end: Math.min(end, this.sizeBytes) }
  }

  async #fetch(run: ByteRange): Promise<Buffer> {
    const askedAt = performance.now()
    try {
      const chunks: Uint8Array[] = []
      for await (const chunk of await this.#object.read(run, this.#signal)) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      if (bytes.length !== run.end - run.start) {
        throw new Error(`${bytes.length} bytes came instead of ${run.end - run.start}`)
      }
      return bytes
    } catch (cause) {
      throw new SourceUnreadable('The source could not be read', { cause })
    } finally {
      const waited = (performance.now() - askedAt) / 1000
      this.#costs = { ...this.#costs, waitedSeconds: this.#costs.waitedSeconds + waited }
    }
  }
}
