/**
 * Which parts of a file went over the lines to storage: read from what passes, for nobody else sees
 * what was sent in vain.
 */

/** One try to send one part. */
export type PartTry = {
  readonly number: number
  readonly bytes: number
  /** Bytes of it that came from the sender, wherever they got to. */
  sentBytes: number
  /** Storage said that it has it. */
  isTaken: boolean
  /** Which cut of the line it was lost by, counted from 1; undefined: by none. */
  lostByCut: number | undefined
}

const HEAD_BYTES_MAX = 64 * 1024

/** Reads one connection, in both directions. Requests follow each other on it. */
export class ConnectionRecord {
  readonly #tries: PartTry[]
  #head = Buffer.alloc(0)
  #bodyBytesLeft = 0
  #current: PartTry | undefined

  constructor(tries: PartTry[]) {
    this.#tries = tries
  }

  /** What the sender sends. */
  sent(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) rest = this.#bodyBytesLeft > 0 ? this.#inBody(rest) : this.#inHead(rest)
  }

  /** What storage answers: "100 Continue" is not yet an answer. */
  answered(chunk: Buffer): void {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 16))?.[1]
    if (status === undefined || status === '100' || !this.#current) return
    this.#current.isTaken = status === '200'
    this.#current = undefined
  }

  cut(number: number): void {
    if (this.#current) this.#current.lostByCut = number
  }

  #inBody(chunk: Buffer): Buffer {
    const bytes = Math.min(chunk.length, this.#bodyBytesLeft)
    this.#bodyBytesLeft -= bytes
    if (this.#current) this.#current.sentBytes += bytes
    return chunk.subarray(bytes)
  }

  #inHead(chunk: Buffer): Buffer {
    this.#head = Buffer.concat([this.#head, chunk])
    const end = this.#head.indexOf('\r\n\r\n')
    if (end === -1) {
      if (this.#head.length > HEAD_BYTES_MAX) throw new Error('That is no request to storage.')
      return Buffer.alloc(0)
    }
    this.#begin(this.#head.toString('latin1', 0, end))
    const rest = this.#head.subarray(end + 4)
    this.#head = Buffer.alloc(0)
    return rest
  }

  #begin(head: string): void {
    this.#bodyBytesLeft = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    const number = /^PUT \S*[?&]partNumber=(\d+)/.exec(head)?.[1]
    if (number === undefined) return
    this.#current = {
      ...{ number: Number(number), bytes: this.#bodyBytesLeft, sentBytes: 0 },
      ...{ isTaken: false, lostByCut: undefined },
    }
    this.#tries.push(this.#current)
  }
}
