/** The parts of a file sent to storage, read from the traffic: only there are failed attempts visible. */

/** One attempt to send one part. */
export type PartTry = {
  readonly number: number
  readonly bytes: number
  /** Bytes received from the sender, whether they reached storage or not. */
  sentBytes: number
  /** Storage confirmed it. */
  isTaken: boolean
  /** The cut during which it was lost, counted from 1; undefined if by none. */
  lostByCut: number | undefined
}

const HEAD_BYTES_MAX = 64 * 1024

/** Parses one connection in both directions. Requests follow each other on it. */
export class ConnectionRecord {
  readonly #tries: PartTry[]
  #head = Buffer.alloc(0)
  #bodyBytesLeft = 0
  #current: PartTry | undefined

  constructor(tries: PartTry[]) {
    this.#tries = tries
  }

  /** Bytes from the sender. */
  sent(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) rest = this.#bodyBytesLeft > 0 ? this.#inBody(rest) : this.#inHead(rest)
  }

  /** Bytes from storage; "100 Continue" does not count as a response. */
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
      if (this.#head.length > HEAD_BYTES_MAX) throw new Error('This is not a storage request.')
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
