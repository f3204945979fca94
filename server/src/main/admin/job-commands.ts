import {
  enterOrganization,
  listOrganizations,
} from '../../capabilities/organizations/organizations.ts'
import { retryFailed } from '../../capabilities/pipeline/pipeline.ts'
import { repeatFailedJobs } from '../../platform/jobs/failed-jobs.ts'
import type { CommandFamily } from './command.ts'

export const jobCommands: CommandFamily = {
  usage: `\
  repeat-failed-jobs [--job NAME]               promises jobs that failed for good once more, and says how many
  retry-failed-assets [ORGANIZATION]            retries videos whose processing failed through no fault of the file
`,
  commands: {
    'repeat-failed-jobs': async (database, { values }, { DATABASE_OWNER_URL: ownerUrl }) => ({
      repeated: await repeatFailedJobs(database, ownerUrl, values.job),
    }),
    'retry-failed-assets': async (database, { positionals: [organization] }) => {
      const ids = organization
        ? [organization]
        : (await listOrganizations(database)).map(({ id }) => id)
      let retried = 0
      for (const id of ids) retried += await retryFailed(await enterOrganization(database, id))
      return { retried }
    },
  },
}
