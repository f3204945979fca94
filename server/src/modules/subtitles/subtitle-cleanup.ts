/** Job that deletes the text of a deleted track from storage. */
import { defineJob } from '../../platform/jobs/job.ts'

export const deleteTrackText = defineJob<{ readonly key: string }>({
  name: 'free-subtitle-track',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  // Keys start with the organization and the asset.
  about: ({ key }) => ({ asset_id: key.split('/')[1] ?? '' }),
})
