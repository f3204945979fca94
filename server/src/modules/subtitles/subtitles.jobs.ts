import { type Handler, handle } from '../../platform/jobs/handler.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { freeTrack } from './subtitle-cleanup.ts'

/** Idempotent. */
export const subtitleHandlers = (media: MediaBucket): Handler[] => [
  handle(freeTrack, async ({ input }) => {
    await media.free(input.key)
  }),
]
