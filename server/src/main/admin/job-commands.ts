import { unlessSuspended } from '../../maintenance/local-organizations.ts'
import { eachOrganization, requireOrganization } from '../../modules/organizations/organizations.ts'
import { retryFailed } from '../../modules/pipeline/pipeline.ts'
import { queueAllAssets } from '../../modules/search/semantic/embedding-jobs.ts'
import { retryFailedJobs } from '../../platform/jobs/engine/finished-jobs.ts'
import type { Commands } from './command.ts'

export const jobCommands = {
  'retry-failed-jobs': async (database, { values }, { DATABASE_OWNER_URL: ownerUrl }) => ({
    retried: await retryFailedJobs(database, ownerUrl, values.job),
  }),
  'retry-failed-assets': async (database, { positionals: [organization] }) => {
    if (organization !== undefined)
      return { retried: await retryFailed(await requireOrganization(database, organization)) }
    let retried = 0
    // Suspended organizations are skipped. Assets of a migrated organization can be retried in its new cell.
    for await (const id of eachOrganization(database))
      retried += await unlessSuspended(retryFailed(database.forOrganization(id)), 0)
    return { retried }
  },
  'queue-embeddings': async (database, { positionals: [organization] }) => {
    if (organization !== undefined)
      return { queued: await queueAllAssets(await requireOrganization(database, organization)) }
    let queued = 0
    for await (const id of eachOrganization(database))
      queued += await unlessSuspended(queueAllAssets(database.forOrganization(id)), 0)
    return { queued }
  },
} satisfies Commands
