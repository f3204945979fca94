/** The text of a track that was deleted goes a little later, by a job that is promised with the deletion. */
import { defineJob } from '../../platform/jobs/job.ts'

export const freeTrack = defineJob<{ readonly key: string }>({
  name: 'free-subtitle-track',
  queue: 'light',
  attemptsMax: 12,
  firstPauseSeconds: 5,
  attemptSecondsMax: 60,
  // A key begins with the organization and the asset.
  about: ({ key }) => ({ asset_id: key.split('/')[1] ?? '' }),
})
