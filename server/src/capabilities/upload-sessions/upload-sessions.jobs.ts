import type { Database } from '../../platform/db/database.ts'
import type { Schedule } from '../../platform/jobs/schedule.ts'
import type { Uploads } from './upload-sessions.ts'
import { sweep } from './upload-sweep.ts'

/** A sweep that storage keeps waiting is given up; what it did not get to is still due. */
const SWEEP_SECONDS_MAX = 120

export const uploadSchedules = (
  uploads: Uploads,
  database: Database,
  everySeconds: number,
): Schedule[] => [
  {
    name: 'sweep-upload-sessions',
    everySeconds,
    runSecondsMax: SWEEP_SECONDS_MAX,
    run: async ({ signal, logger }) => {
      const swept = await sweep(uploads, database, signal, (err, session) =>
        logger.warn(
          { err, organization_id: session.organizationId, session: session.uuid },
          'could not look at an upload session',
        ),
      )
      if (swept.looks > 0) logger.debug(swept, 'looked at upload sessions')
    },
  },
]
