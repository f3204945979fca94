import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import { purgeDeletedOrganizations } from './organization-deletion.ts'

type Dependencies = Pick<Parameters<typeof purgeDeletedOrganizations>[1], 'buckets' | 'formSecondsMax'>

export const organizationDeletionSchedules = (database: Database, dependencies: Dependencies): Schedule[] => [
  {
    name: 'purge-deleted-organizations',
    everySeconds: 10,
    runSecondsMax: 3600,
    run: ({ signal, logger }) =>
      purgeDeletedOrganizations(database, {
        ...dependencies,
        signal,
        onPurged: (organization_id) => logger.info({ organization_id }, 'purged a deleted organization'),
        onFailure: (err, organization_id) =>
          logger.error({ err, organization_id }, 'failed to purge a deleted organization'),
      }),
  },
]
