/**
 * Passes a stored file on to the viewer, and withholds its last bytes until the MD5 hash of all of them is known. So
 * damaged bytes end in an incomplete response, which no player, browser or edge uses or caches.
 */
import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'

export class VerifiedBody extends Transform {
  readonly #md5: string
  readonly #onDamaged: () => Error
  readonly #hash = createHash('md5')
  #last: Buffer | undefined

  /**
   * `md5` is the hash in hexadecimal digits. `onDamaged` is called if the bytes have another hash, and returns the
   * error that ends the stream.
   */
  constructor(md5: string, onDamaged: () => Error) {
    super()
    this.#md5 = md5
    this.#onDamaged = onDamaged
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    const before = this.#last
    this.#last = chunk
    done(null, before)
  }

  override _flush(done: TransformCallback): void {
    if (this.#hash.digest('hex') === this.#md5) done(null, this.#last)
    else done(this.#onDamaged())
  }
}
