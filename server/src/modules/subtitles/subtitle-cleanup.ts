/** Job that deletes the text of a deleted track from storage. */
import { defineJob } from '../../platform/jobs/job.ts'

export const deleteTrackText = defineJob<{ readonly key: string }>({
  name: 'free-subtitle-track',
  queue: 'light',
  attemptsMax: 12,
  firstPauseSeconds: 5,
  attemptSecondsMax: 60,
  // Keys start with the organization and the asset.
  about: ({ key }) => ({ asset_id: key.split('/')[1] ?? '' }),
})
