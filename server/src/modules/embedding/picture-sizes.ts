/** Sizes of the covers in storage. */
import { LRUCache } from 'lru-cache'
import type { Logger } from '../../platform/observability/logger.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import type { Size } from './embedding.rules.ts'
import { HEADER_BYTES, jpegSize } from './picture-size.rules.ts'

/** The content of a key never changes. */
const SIZES_CACHED = 10_000
const SECONDS_MAX = 3

export class PictureSizes {
  readonly #media: Pick<MediaBucket, 'read'>
  readonly #cache = new LRUCache<string, Size>({ max: SIZES_CACHED })

  constructor(media: Pick<MediaBucket, 'read'>) {
    this.#media = media
  }

  /** Undefined if storage does not return the picture in time. */
  async find(key: string, logger: Pick<Logger, 'warn'>): Promise<Size | undefined> {
    const cached = this.#cache.get(key)
    if (cached) return cached
    const header = { range: { start: 0, end: HEADER_BYTES }, bytesMax: HEADER_BYTES }
    try {
      const size = jpegSize(await this.#media.read(key, header, AbortSignal.timeout(SECONDS_MAX * 1000)))
      if (size) this.#cache.set(key, size)
      return size
    } catch (err) {
      logger.warn({ err, key }, 'failed to read the size of a cover')
      return undefined
    }
  }
}
