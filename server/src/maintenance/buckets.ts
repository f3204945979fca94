import type { StorageOptions } from '../platform/storage/client.ts'
import { MediaBucket } from '../platform/storage/media-bucket.ts'
import { UploadsBucket } from '../platform/storage/uploads-bucket.ts'

/** The two buckets of a service or of its backup, opened for copying. */
export type Buckets = Disposable & {
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
}

export function openBuckets(storage: StorageOptions): Buckets {
  const options = { ...storage, isCopying: true }
  const uploads = new UploadsBucket(options)
  const media = new MediaBucket(options)
  return {
    uploads,
    media,
    [Symbol.dispose]: () => {
      uploads[Symbol.dispose]()
      media[Symbol.dispose]()
    },
  }
}
