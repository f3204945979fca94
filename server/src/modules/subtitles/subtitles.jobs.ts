import { type Handler, handle } from '../../platform/jobs/handler.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { deleteTrackText } from './subtitle-cleanup.ts'
import { indexTranscript, transcriptJob } from './subtitle-moments.ts'

/** The job handlers of subtitles. They are idempotent. */
export const subtitleHandlers = (media: MediaBucket): Handler[] => [
  handle(deleteTrackText, async ({ input }) => {
    await media.deleteAll(input.key)
  }),
  handle(transcriptJob, async ({ db, input }) => {
    await indexTranscript(media, db, input)
  }),
]
