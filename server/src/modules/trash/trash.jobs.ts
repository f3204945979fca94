import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import type { FormLifetime } from '../assets/assets.ts'
import type { AssetsInFolders } from '../folders/folders.ts'
import { purgeTrash } from './trash.ts'

type Dependencies = { readonly settings: FormLifetime; readonly assets: AssetsInFolders }

export const trashSchedules = (database: Database, dependencies: Dependencies): Schedule[] => [
  {
    name: 'purge-trash',
    everySeconds: 60,
    runSecondsMax: 600,
    run: ({ signal, logger }) =>
      purgeTrash(database, {
        ...dependencies,
        signal,
        onFailure: (err, organization_id) => logger.error({ err, organization_id }, 'failed to purge the trash'),
      }),
  },
]
