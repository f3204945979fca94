import { type Handler, handle } from '../../platform/jobs/handler.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { freeTrack } from './subtitle-freeing.ts'

/** Twice is once: what is gone is not there to be freed. */
export const subtitleHandlers = (media: MediaBucket): Handler[] => [
  handle(freeTrack, async ({ input }) => {
    await media.free(input.key)
  }),
]
