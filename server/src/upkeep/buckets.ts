import type { StorageOptions } from '../platform/storage/client.ts'
import { MediaBucket } from '../platform/storage/media-bucket.ts'
import { UploadsBucket } from '../platform/storage/uploads-bucket.ts'

/** The two buckets of a service, or of its backup. */
export type Buckets = Disposable & {
  readonly uploads: UploadsBucket
  readonly media: MediaBucket
}

export function openBuckets(options: StorageOptions): Buckets {
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
