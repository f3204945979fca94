/** Job that deletes the uploaded file of a deleted first version. The other files of the asset stay. */
import type { OrganizationDb } from '../../platform/db/database.ts'
import { enqueueJob } from '../../platform/jobs/enqueue.ts'
import { defineJob } from '../../platform/jobs/job.ts'
import type { FormLifetime } from '../assets/assets.ts'

export const deleteVersionFile = defineJob<{ readonly key: string }>({
  name: 'free-version-file',
  queue: 'light',
  retry: { maxAttempts: 12, firstBackoffSeconds: 5, attemptTimeoutSeconds: 60 },
  // Storage keys start with the organization id and the asset id.
  about: ({ key }) => ({ asset_id: key.split('/')[1] ?? '' }),
})

/** The second job runs after the form of the upload has expired: until then, storage accepts the file again. */
export async function enqueueFileDeletion(
  tx: OrganizationDb,
  key: string,
  { formSecondsMax }: FormLifetime,
): Promise<void> {
  await enqueueJob(tx, deleteVersionFile, { input: { key } })
  await enqueueJob(tx, deleteVersionFile, { input: { key }, delaySeconds: formSecondsMax })
}
