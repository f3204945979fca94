/** Job that deletes the text of a deleted track from storage. */
import { defineJob } from '../../platform/jobs/job.ts'

export const deleteTrackText = defineJob<{ readonly key: string }>({
  name: 'free-subtitle-track',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  // Storage keys start with the organization id and the asset id.
  about: ({ key }) => ({ asset_id: key.split('/')[1] ?? '' }),
})
