/**
 * Writes log lines to a file descriptor, asynchronously and in large chunks. If a write fails, for example because the
 * disk is full, the lines stay in a buffer and the next flush tries again. A log that cannot be written never stops or
 * ends the process: beyond the buffer, lines are dropped and counted.
 */
import { write, writeSync } from 'node:fs'

/** Lines are collected up to this size or time. */
const CHUNK_BYTES = 16_000
const FLUSH_SECONDS = 1

/** Maximum size of unwritten lines. */
const UNWRITTEN_CHARACTERS_MAX = 4 * 2 ** 20

export class LogOutput {
  readonly #descriptor: number
  #lines: string[] = []
  #characters = 0
  /** The chunk that is being written, or could not be written. */
  #chunk: Buffer = Buffer.alloc(0)
  #isWriting = false
  #dropped = 0

  constructor(descriptor: number) {
    this.#descriptor = descriptor
    setInterval(() => this.#flush(), FLUSH_SECONDS * 1000).unref()
    process.on('exit', () => this.#flushAtExit())
  }

  write(line: string): void {
    if (this.#characters + line.length > UNWRITTEN_CHARACTERS_MAX) {
      this.#dropped++
      return
    }
    this.#lines.push(line)
    this.#characters += line.length
    if (this.#characters >= CHUNK_BYTES) this.#flush()
  }

  #flush(): void {
    if (this.#isWriting || !this.#fillChunk()) return
    this.#isWriting = true
    write(this.#descriptor, this.#chunk, (error, written) => {
      this.#isWriting = false
      if (error) return
      this.#chunk = this.#chunk.subarray(written)
      if (this.#chunk.length > 0 || this.#characters >= CHUNK_BYTES) this.#flush()
    })
  }

  /** Whether there is something to write. */
  #fillChunk(): boolean {
    if (this.#chunk.length > 0) return true
    if (this.#dropped > 0) this.#lines.push(droppedLine(this.#dropped))
    this.#chunk = Buffer.from(this.#lines.join(''))
    this.#lines = []
    this.#characters = 0
    this.#dropped = 0
    return this.#chunk.length > 0
  }

  /** Tries once: the process must not wait for a disk that is full. */
  #flushAtExit(): void {
    try {
      while (this.#fillChunk()) this.#chunk = this.#chunk.subarray(writeSync(this.#descriptor, this.#chunk))
    } catch {
      // The last lines are lost.
    }
  }
}

const droppedLine = (dropped: number) =>
  `${JSON.stringify({ level: 'error', time: new Date().toISOString(), dropped, msg: 'log lines were dropped' })}\n`
