/** Job that deletes the uploaded file of a deleted first version. The other files of the asset stay. */
import { defineJob } from '../../platform/jobs/job.ts'

export const deleteVersionFile = defineJob<{ readonly key: string }>({
  name: 'free-version-file',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  // Storage keys start with the organization id and the asset id.
  about: ({ key }) => ({ asset_id: key.split('/')[1] ?? '' }),
})
